#include "cli/server/kubelet_flags.h"

#include "crypto/certificate.h"

namespace proa::cli {
namespace kubelet_flags {

using apiserver::KubeletTls;

constexpr size_t kMaxBytes = 1 << 20;

KubeletTls mode_of(const std::string& word) {
  if (word == "verify") return KubeletTls::kVerify;
  return word == "skip" ? KubeletTls::kSkip : KubeletTls::kPin;
}

}  // namespace kubelet_flags

std::vector<Flag> kubelet_tls_flags() {
  return {
      {.name = "kubelet-tls",
       .kind = ValueKind::kChoice,
       .word = "MODE",
       .fallback = "pin",
       .summary = "kubelets' certificates: signed by a trusted CA (verify), or else the same as "
                  "at the first connection (pin), or not verified (skip)",
       .choices = {"verify", "pin", "skip"}},
      {.name = "kubelet-certificate-authority",
       .kind = ValueKind::kFile,
       .word = "FILE",
       .fallback = {},
       .summary = "CA certificates of kubelets, besides the cluster's own; implies verify"}};
}

Result<KubeletTlsOptions> read_kubelet_tls(const Settings& settings, Files& files) {
  KubeletTlsOptions options;
  options.tls = kubelet_flags::mode_of(settings.text("kubelet-tls"));
  const std::string& path = settings.text("kubelet-certificate-authority");
  if (path.empty()) return options;
  if (options.tls == apiserver::KubeletTls::kSkip) {
    return Status(Reason::kInvalid,
                  "--kubelet-certificate-authority and --kubelet-tls skip are mutually exclusive");
  }
  const Result<std::string> text = files.read_file(path, kubelet_flags::kMaxBytes);
  if (!text) return text.status().in("--kubelet-certificate-authority");
  if (crypto::Certificate::parse_all(*text).empty()) {
    return Status(Reason::kInvalid,
                  "--kubelet-certificate-authority: " + path + " contains no certificate");
  }
  options.tls = apiserver::KubeletTls::kVerify;
  options.more_authorities_pem = *text;
  return options;
}

}  // namespace proa::cli

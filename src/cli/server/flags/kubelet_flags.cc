#include "cli/server/flags/kubelet_flags.h"

#include "crypto/authority_file.h"

namespace proa::cli {
namespace kubelet_settings {

using apiserver::KubeletTls;

KubeletTls mode_of(const std::string& word) {
  if (word == "verify") return KubeletTls::kVerify;
  return word == "skip" ? KubeletTls::kSkip : KubeletTls::kPin;
}

}  // namespace kubelet_settings

std::vector<Flag> kubelet_flags() {
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
       .summary = "CA certificates of kubelets, besides the cluster's own; implies verify"},
      {.name = "pod-egress",
       .kind = ValueKind::kChoice,
       .word = "WAY",
       .fallback = "auto",
       .summary = "how proxied requests reach pods: directly, or through their nodes, which needs "
                  "no route to pods; auto: directly if this machine is a node",
       .choices = {"auto", "direct", "nodes"}}};
}

Result<KubeletTlsOptions> read_kubelet_tls(const Settings& settings, Files& files) {
  KubeletTlsOptions options;
  options.tls = kubelet_settings::mode_of(settings.text("kubelet-tls"));
  const std::string& path = settings.text("kubelet-certificate-authority");
  if (path.empty()) return options;
  if (options.tls == apiserver::KubeletTls::kSkip) {
    return Status(Reason::kInvalid,
                  "--kubelet-certificate-authority and --kubelet-tls skip are mutually exclusive");
  }
  const Result<std::string> text = crypto::read_authority_file(files, path);
  if (!text) return text.status().in("--kubelet-certificate-authority");
  options.tls = apiserver::KubeletTls::kVerify;
  options.more_authorities_pem = *text;
  return options;
}

apiserver::PodEgress read_pod_egress(const Settings& settings, bool is_node) {
  const std::string& way = settings.text("pod-egress");
  const bool direct = way == "direct" || (way == "auto" && is_node);
  return direct ? apiserver::PodEgress::kDirect : apiserver::PodEgress::kNodes;
}

}  // namespace proa::cli

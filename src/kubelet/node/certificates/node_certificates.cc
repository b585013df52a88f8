#include "kubelet/node/certificates/node_certificates.h"

#include <algorithm>

#include "crypto/authority.h"

namespace proa::kubelet {
namespace node_certificates {

constexpr size_t kLimit = 1024 * 1024;
// As long as upstream's self-signed ones.
constexpr Duration kOwnLifetime = std::chrono::hours(24 * 365);

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The blocks of a PEM text whose label ends with "CERTIFICATE" or "PRIVATE KEY".
std::string blocks(std::string_view text, std::string_view label_end) {
  static constexpr std::string_view kBegin = "-----BEGIN ";
  static constexpr std::string_view kDashes = "-----";
  std::string found;
  for (size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + 1)) {
    const size_t label_at = at + kBegin.size();
    const size_t label_stop = text.find(kDashes, label_at);
    if (label_stop == std::string_view::npos) break;
    const std::string_view label = text.substr(label_at, label_stop - label_at);
    const std::string end = "-----END " + std::string(label) + "-----";
    const size_t stop = text.find(end, label_stop);
    if (stop == std::string_view::npos) break;
    if (label.ends_with(label_end)) {
      found += std::string(text.substr(at, stop + end.size() - at)) + "\n";
    }
  }
  return found;
}

std::string own_issuer(api::NodeNameView node_name) { return node_name.str() + "-ca@"; }

}  // namespace node_certificates

std::string client_certificate_path(const std::string& root) {
  return root + "/pki/kubelet-client-current.pem";
}
std::string serving_certificate_path(const std::string& root) {
  return root + "/pki/kubelet-server-current.pem";
}

Result<crypto::CertifiedKey> read_certified_key(Files& files, const std::string& path) {
  const std::string text = TRY(files.read_file(path, node_certificates::kLimit));
  crypto::CertifiedKey pair{.certificate_pem = node_certificates::blocks(text, "CERTIFICATE"),
                            .private_key_pem = node_certificates::blocks(text, "PRIVATE KEY")};
  const auto checked = crypto::KeyPair::parse(pair);
  if (!checked) return Status(Reason::kInvalid, path + ": " + checked.status().message());
  return pair;
}

Result<void> write_certified_key(Files& files, const std::string& path,
                                 const crypto::CertifiedKey& pair) {
  TRY(files.make_dirs(node_certificates::parent_of(path), 0700));
  return files.write_file_atomic(path, pair.certificate_pem + pair.private_key_pem, 0600);
}

bool has_client_certificate(Files& files, const Clock& clock, api::NodeNameView node_name,
                            const std::string& path) {
  const Result<crypto::CertifiedKey> pair = read_certified_key(files, path);
  if (!pair) return false;
  const auto certificate = crypto::Certificate::parse(pair->certificate_pem);
  if (!certificate || clock.now() >= certificate->not_after()) return false;
  const auto identity = certificate->identity();
  const crypto::CertificateIdentity wanted = node_identity(node_name);
  return identity.ok() && identity->common_name == wanted.common_name &&
         identity->organizations == wanted.organizations;
}

Result<crypto::CertifiedKey> ensure_client_certificate(const JoinContext& context,
                                                       api::NodeNameView node_name,
                                                       const std::string& path,
                                                       const Until& until) {
  if (has_client_certificate(context.files, context.clock, node_name, path)) {
    return read_certified_key(context.files, path);
  }
  const crypto::CertifiedKey pair = TRY(have_signed(context.client, context.schema, context.clock,
                                                    SigningWish::for_client(node_name), until));
  TRY(write_certified_key(context.files, path, pair));
  return pair;
}

Result<void> ensure_serving_certificate(Files& files, Clock& clock, api::NodeNameView node_name,
                                        const crypto::CertificateIdentity& identity,
                                        const std::string& path) {
  const Result<crypto::CertifiedKey> there = read_certified_key(files, path);
  if (there) {
    const auto certificate = crypto::Certificate::parse(there->certificate_pem);
    const bool fits = certificate.ok() && clock.now() < certificate->not_after() &&
                      covers_names(*certificate, identity);
    if (fits) return {};
  }
  crypto::CertificateTemplate wanted;
  const std::string stamp = std::to_string(
      std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count());
  wanted.common_name = node_certificates::own_issuer(node_name) + stamp;
  wanted.not_before = clock.now() - std::chrono::hours(1);
  wanted.not_after = clock.now() + node_certificates::kOwnLifetime;
  const crypto::CertifiedKey authority = TRY(crypto::make_authority(wanted));
  wanted.common_name = node_name.str() + "@" + stamp;
  wanted.dns_names = identity.dns_names;
  wanted.ip_addresses = identity.ip_addresses;
  wanted.for_server = true;
  crypto::CertifiedKey pair = TRY(crypto::issue_certificate(authority, wanted));
  pair.certificate_pem += authority.certificate_pem;
  return write_certified_key(files, path, pair);
}

bool is_own_making(const crypto::Certificate& certificate, api::NodeNameView node_name) {
  return certificate.issuer_name().starts_with(node_certificates::own_issuer(node_name));
}

bool covers_names(const crypto::Certificate& certificate,
                  const crypto::CertificateIdentity& identity) {
  const auto covers = [&](const std::string& name) { return certificate.covers(name); };
  return std::ranges::all_of(identity.dns_names, covers) &&
         std::ranges::all_of(identity.ip_addresses, covers);
}

Time renewal_time(Time not_before, Time not_after, Random& random) {
  const Duration life = not_after - not_before;
  if (life <= Duration(0)) return not_before;
  // In thousandths, so that long lives don't overflow.
  const auto share = static_cast<int64_t>(700 + random.below(201));
  return not_before + life / 1000 * share;
}

}  // namespace proa::kubelet

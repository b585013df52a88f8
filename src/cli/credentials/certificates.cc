#include "cli/credentials/certificates.h"

#include <algorithm>

#include "apiserver/access/authn/certificates.h"
#include "crypto/authority.h"

namespace proa::cli {
namespace certificates {

constexpr Duration kDay = std::chrono::hours(24);
// The CA is created once, possibly before the clock is set: it is valid from 1970 and does not
// expire in practice.
constexpr Time kAuthorityBegin{};
constexpr Time kAuthorityEnd{std::chrono::seconds(7'258'118'400)};  // 2200-01-01
constexpr Duration kServerLifetime = 365 * kDay;
constexpr Duration kRenewBefore = 30 * kDay;
// Clients' clocks may be behind.
constexpr Duration kBackdate = std::chrono::hours(1);
constexpr size_t kMaxFile = 64 * 1024;
// For the CA: other certificates are replaced.
constexpr std::string_view kRemedy =
    "; restore it from a backup; deleting both and passing --new-authority creates a new CA, and "
    "all nodes and clients must join again";

// Reads both files; kNotFound if either is missing.
Result<crypto::CertifiedKey> load(Files& files, const std::string& base) {
  crypto::CertifiedKey identity;
  identity.certificate_pem = TRY(files.read_file(base + ".crt", kMaxFile));
  identity.private_key_pem = TRY(files.read_file(base + ".key", kMaxFile));
  const auto checked = crypto::KeyPair::parse(identity);
  if (!checked.ok()) {
    return Status(checked.status().reason(), base + ".crt or .key is invalid: " +
                                                 checked.status().message() + std::string(kRemedy));
  }
  return identity;
}

Result<void> save(Files& files, const std::string& base, const crypto::CertifiedKey& identity) {
  TRY(files.write_file_atomic(base + ".key", identity.private_key_pem, 0600));
  TRY(files.write_file_atomic(base + ".crt", identity.certificate_pem, 0644));
  return {};
}

Result<crypto::CertifiedKey> create_authority(Files& files, const std::string& base,
                                              std::string_view name) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = name;
  wanted.not_before = kAuthorityBegin;
  wanted.not_after = kAuthorityEnd;
  crypto::CertifiedKey authority = TRY(crypto::make_authority(wanted));
  TRY(save(files, base, authority));
  return authority;
}

Result<crypto::CertifiedKey> ensure_authority(Files& files, const std::string& base) {
  auto found = load(files, base);
  if (found.ok() || !found.is(Reason::kNotFound)) return found;
  const bool certificate_there = TRY(files.exists(base + ".crt"));
  const bool key_there = TRY(files.exists(base + ".key"));
  if (certificate_there || key_there) {
    return Status(Reason::kInvalid,
                  "only one of " + base + ".crt and .key exists" + std::string(kRemedy));
  }
  return create_authority(files, base, "proa");
}

Result<crypto::CertifiedKey> ensure_front_proxy_authority(Files& files, const std::string& base) {
  auto found = load(files, base);
  if (!found.is(Reason::kNotFound) && !found.is(Reason::kInvalid)) return found;
  return create_authority(files, base, "front-proxy-ca");
}

crypto::CertificateTemplate server_template(std::span<const std::string> names) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "proa-server";
  wanted.for_server = true;
  for (const std::string& name : names) {
    (crypto::is_ip_address(name) ? wanted.ip_addresses : wanted.dns_names).push_back(name);
  }
  return wanted;
}

crypto::CertificateTemplate admin_template() {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "kubernetes-admin";
  wanted.organizations = {"system:masters"};
  wanted.for_client = true;
  return wanted;
}

// kubeadm's name. Its group is bound to the role system:kubelet-client.
crypto::CertificateTemplate kubelet_client_template() {
  crypto::CertificateTemplate wanted;
  wanted.common_name = apiserver::kKubeletClientName;
  wanted.organizations = {std::string(apiserver::kKubeletClientGroup)};
  wanted.for_client = true;
  return wanted;
}

crypto::CertificateTemplate front_proxy_template() {
  crypto::CertificateTemplate wanted;
  wanted.common_name = kFrontProxyName;
  wanted.for_client = true;
  return wanted;
}

// The subject of upstream's kubelets.
crypto::CertificateTemplate node_template(api::NodeNameView node_name,
                                          std::span<const std::string> names) {
  crypto::CertificateTemplate wanted = server_template(names);
  wanted.common_name = "system:node:" + node_name.str();
  wanted.organizations = {"system:nodes"};
  return wanted;
}

// Whether it can still be used: signed by `authority`, covers all `names`, is valid now (it may be
// from a time when the clock was ahead), and not due for renewal.
Result<bool> is_usable(const crypto::CertifiedKey& pair, const crypto::CertifiedKey& authority,
                       std::span<const std::string> names, Time now) {
  const crypto::KeyPair shown = TRY(crypto::KeyPair::parse(pair));
  const crypto::KeyPair signer = TRY(crypto::KeyPair::parse(authority));
  const crypto::Certificate& certificate = shown.certificate;
  return certificate.is_signed_by(signer.key.public_key()) && certificate.not_before() <= now &&
         certificate.not_after() > now + kRenewBefore &&
         std::ranges::all_of(names,
                             [&](const std::string& name) { return certificate.covers(name); });
}

struct Ensured {
  crypto::CertifiedKey identity;
  bool created = false;
};

Result<Ensured> ensure_signed(Files& files, Time now, const std::string& base,
                              const crypto::CertifiedKey& authority,
                              crypto::CertificateTemplate wanted,
                              std::span<const std::string> names) {
  const auto found = load(files, base);
  if (found.ok()) {
    const bool usable = TRY(is_usable(*found, authority, names, now));
    if (usable) return Ensured{*found, false};
  } else if (!found.is(Reason::kNotFound) && !found.is(Reason::kInvalid)) {
    // Unusable files are replaced: a power loss may have occurred between writing the two.
    return found.status();
  }
  wanted.not_before = now - kBackdate;
  wanted.not_after = now + kServerLifetime;
  crypto::CertifiedKey made = TRY(crypto::issue_certificate(authority, wanted));
  // The server presents the whole chain.
  made.certificate_pem += authority.certificate_pem;
  TRY(save(files, base, made));
  return Ensured{std::move(made), true};
}

}  // namespace certificates

Result<Certificates> ensure_certificates(Files& files, const Clock& clock,
                                         const std::string& directory,
                                         std::span<const std::string> names) {
  TRY(files.make_dirs(directory, 0700));
  const crypto::CertifiedKey authority =
      TRY(certificates::ensure_authority(files, directory + "/authority"));
  const certificates::Ensured server =
      TRY(certificates::ensure_signed(files, clock.now(), directory + "/server", authority,
                                      certificates::server_template(names), names));
  const certificates::Ensured admin = TRY(certificates::ensure_signed(
      files, clock.now(), directory + "/admin", authority, certificates::admin_template(), {}));
  const certificates::Ensured kubelet_client =
      TRY(certificates::ensure_signed(files, clock.now(), directory + "/apiserver-kubelet-client",
                                      authority, certificates::kubelet_client_template(), {}));
  const crypto::CertifiedKey proxy_authority =
      TRY(certificates::ensure_front_proxy_authority(files, directory + "/front-proxy-ca"));
  const certificates::Ensured proxy_client =
      TRY(certificates::ensure_signed(files, clock.now(), directory + "/front-proxy-client",
                                      proxy_authority, certificates::front_proxy_template(), {}));
  return Certificates{.server_certificate = directory + "/server.crt",
                      .server_key = directory + "/server.key",
                      .authority = directory + "/authority.crt",
                      .authority_pem = authority.certificate_pem,
                      .admin_certificate_pem = admin.identity.certificate_pem,
                      .admin_key_pem = admin.identity.private_key_pem,
                      .kubelet_client_certificate_pem = kubelet_client.identity.certificate_pem,
                      .kubelet_client_key_pem = kubelet_client.identity.private_key_pem,
                      .front_proxy_authority_pem = proxy_authority.certificate_pem,
                      .front_proxy_client_certificate_pem = proxy_client.identity.certificate_pem,
                      .front_proxy_client_key_pem = proxy_client.identity.private_key_pem,
                      .created = server.created,
                      .admin_created = admin.created,
                      .kubelet_client_created = kubelet_client.created,
                      .front_proxy_client_created = proxy_client.created};
}

Result<void> refuse_lost_authority(Files& files, const std::string& data_dir) {
  const std::string base = data_dir + "/tls/authority";
  const bool has_store = TRY(files.exists(data_dir + "/store/STORE"));
  const bool has_certificate = TRY(files.exists(base + ".crt"));
  const bool has_key = TRY(files.exists(base + ".key"));
  if (!has_store || has_certificate || has_key) return {};
  return Status(Reason::kConflict,
                base + ".crt and .key are missing, but " + data_dir +
                    "/store contains a cluster whose nodes and clients trust that CA; restore " +
                    data_dir +
                    "/tls from a backup, or pass --new-authority to create a new CA: all nodes and "
                    "clients must then join again");
}

Result<void> ensure_node_certificate(Files& files, const Clock& clock, const std::string& directory,
                                     api::NodeNameView node_name,
                                     std::span<const std::string> names) {
  const crypto::CertifiedKey authority = TRY(certificates::load(files, directory + "/authority"));
  TRY(certificates::ensure_signed(files, clock.now(), directory + "/kubelet", authority,
                                  certificates::node_template(node_name, names), names));
  return {};
}

}  // namespace proa::cli

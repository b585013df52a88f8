#include "apiserver/access/authn/certificates.h"

#include <algorithm>

#include "crypto/digest.h"

namespace proa::apiserver {
namespace certificates {

// A certificate may be accepted for up to a minute after it expires.
constexpr Duration kCacheTtl = std::chrono::minutes(1);
// The OID of the subject attribute with the user's uid: apimachinery's X509UID.
constexpr std::string_view kUidObject = "1.3.6.1.4.1.57683.2";

// Cached on the connection, one per verifier.
struct Verdict {
  const ClientCertificateVerifier* by;
  Result<UserPtr> user;
  Time expires;  // the certificate
  Steady until;
  std::shared_ptr<const Verdict> next;
};

// Empty if the subject has none.
Result<std::string> uid_in(const crypto::Certificate& certificate) {
  const std::vector<std::string> uids = certificate.subject_values(kUidObject);
  if (uids.size() > 1) return Status(Reason::kUnauthorized, "expected 1 UID, but found multiple");
  if (uids.empty()) return std::string();
  if (uids[0].empty()) return Status(Reason::kUnauthorized, "UID cannot be an empty string");
  return uids[0];
}

// When the client's own certificate expires.
Time end_of(const http::PeerCertificates& shown) {
  const Result<crypto::Certificate> own = crypto::Certificate::parse_der(shown.chain_der.front());
  return own ? own->not_after() : Time();
}

bool is_kubelet_client(const crypto::CertificateIdentity& identity) {
  return identity.common_name == kKubeletClientName ||
         std::ranges::find(identity.organizations, kKubeletClientGroup) !=
             identity.organizations.end();
}

}  // namespace certificates

Result<UserPtr> ClientCertificateVerifier::verify_uncached(
    const http::PeerCertificates& shown) const {
  const crypto::Certificate certificate = TRY(authorities_->verify(shown.chain_der, clock_.now()));
  const Result<crypto::CertificateIdentity> identity = certificate.identity();
  if (!identity) return Status(Reason::kUnauthorized, identity.status().message());
  if (certificates::is_kubelet_client(*identity)) {
    return Status(Reason::kUnauthorized,
                  "the client certificate for kubelets is not accepted by the API server");
  }
  auto user = std::make_shared<User>();
  user->uid = TRY(certificates::uid_in(certificate));
  user->name = identity->common_name;
  user->groups = identity->organizations;
  const std::string fingerprint = crypto::sha256(shown.chain_der.front()).hex();
  user->extra.push_back({std::string(kCredentialId), std::vector{"X509SHA256=" + fingerprint}});
  join_authenticated(*user);
  return UserPtr(std::move(user));
}

Result<UserPtr> ClientCertificateVerifier::verify(const http::Peer& peer,
                                                  CertificateMetrics* counted) const {
  using certificates::Verdict;
  if (peer.certificates.chain_der.empty()) return UserPtr();
  const Steady now = clock_.steady();
  const auto* kept = static_cast<const Verdict*>(peer.identity.get());
  for (const Verdict* one = kept; one != nullptr; one = one->next.get()) {
    if (one->by != this || now >= one->until) continue;
    if (counted != nullptr) counted->count(one->expires - clock_.now());
    return one->user;
  }
  std::shared_ptr<const Verdict> others;
  for (const Verdict* one = kept; one != nullptr; one = one->next.get()) {
    if (one->by == this) continue;
    others =
        std::make_shared<Verdict>(Verdict{one->by, one->user, one->expires, one->until, others});
  }
  Result<UserPtr> user = verify_uncached(peer.certificates);
  const Time expires = certificates::end_of(peer.certificates);
  if (counted != nullptr) counted->count(expires - clock_.now());
  peer.identity = std::make_shared<Verdict>(
      Verdict{this, user, expires, now + certificates::kCacheTtl, others});
  return user;
}

Result<UserPtr> Certificates::authenticate(const Credentials& credentials) {
  Result<UserPtr> user = verifier_.verify(credentials.peer, &metrics_);
  // A certificate without a common name does not authenticate.
  if (user && *user != nullptr && (*user)->name.empty()) return UserPtr();
  return user;
}

}  // namespace proa::apiserver

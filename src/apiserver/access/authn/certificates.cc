#include "apiserver/access/authn/certificates.h"

#include "crypto/digest.h"

namespace proa::apiserver {
namespace certificates {

// Certificates end, and are looked at again; a request more or less in the last minute is no harm.
constexpr Duration kTrusted = std::chrono::minutes(1);
// Of a part of the subject that is the user's uid: apimachinery's X509UID.
constexpr std::string_view kUidObject = "1.3.6.1.4.1.57683.2";

// What is kept with a connection: one for each judge that was asked.
struct Verdict {
  const CertificateJudge* by;
  Result<UserPtr> user;
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

}  // namespace certificates

Result<UserPtr> CertificateJudge::judge_anew(const http::PeerCertificates& shown) const {
  const crypto::Certificate certificate = TRY(authorities_->verify(shown.chain_der, clock_.now()));
  const Result<crypto::CertificateIdentity> identity = certificate.identity();
  if (!identity) return Status(Reason::kUnauthorized, identity.status().message());
  auto user = std::make_shared<User>();
  user->uid = TRY(certificates::uid_in(certificate));
  user->name = identity->common_name;
  user->groups = identity->organizations;
  const std::string fingerprint = crypto::sha256(shown.chain_der.front()).hex();
  user->extra.push_back({std::string(kCredentialId), std::vector{"X509SHA256=" + fingerprint}});
  join_authenticated(*user);
  return UserPtr(std::move(user));
}

Result<UserPtr> CertificateJudge::judge(const http::Peer& peer) const {
  using certificates::Verdict;
  if (peer.certificates.chain_der.empty()) return UserPtr();
  const Steady now = clock_.steady();
  const auto* kept = static_cast<const Verdict*>(peer.identity.get());
  for (const Verdict* one = kept; one != nullptr; one = one->next.get()) {
    if (one->by == this && now < one->until) return one->user;
  }
  std::shared_ptr<const Verdict> others;
  for (const Verdict* one = kept; one != nullptr; one = one->next.get()) {
    if (one->by == this) continue;
    others = std::make_shared<Verdict>(Verdict{one->by, one->user, one->until, others});
  }
  Result<UserPtr> user = judge_anew(peer.certificates);
  peer.identity =
      std::make_shared<Verdict>(Verdict{this, user, now + certificates::kTrusted, others});
  return user;
}

Result<UserPtr> Certificates::authenticate(const Credentials& credentials) {
  Result<UserPtr> user = judge_.judge(credentials.peer);
  // A certificate of somebody without a name says nothing.
  if (user && *user != nullptr && (*user)->name.empty()) return UserPtr();
  return user;
}

}  // namespace proa::apiserver

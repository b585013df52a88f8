#include "apiserver/authn/identity.h"

namespace proa::apiserver {
namespace identity {

struct Known {
  std::shared_ptr<const User> user;
  Steady until;
};

}  // namespace identity

std::shared_ptr<const User> Identities::of(const http::Peer& peer) const {
  if (peer.certificates.chain_der.empty()) return nullptr;
  if (const auto* known = static_cast<const identity::Known*>(peer.identity.get());
      known != nullptr && clock_.steady() < known->until) {
    return known->user;
  }
  auto known = std::make_shared<identity::Known>();
  known->until = clock_.steady() + std::chrono::minutes(1);
  const Result<http::CertificateSubject> subject =
      certificates_->verify(peer.certificates, clock_.now());
  if (subject && !subject->common_name.empty()) {
    auto user = std::make_shared<User>();
    user->name = subject->common_name;
    user->groups = subject->organizations;
    user->groups.emplace_back("system:authenticated");
    known->user = std::move(user);
  }
  peer.identity = known;
  return known->user;
}

}  // namespace proa::apiserver

#include "apiserver/access/authn/certificates.h"

#include <openssl/sha.h>

#include "base/encoding.h"
#include "http/net/openssl.h"

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

std::string fingerprint(const std::string& der) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(der.data()), der.size(), hash);
  return "X509SHA256=" + to_hex({reinterpret_cast<const char*>(hash), sizeof hash});
}

bool is_uid(X509_NAME_ENTRY* entry) {
  char name[64] = "";
  OBJ_obj2txt(name, sizeof name, X509_NAME_ENTRY_get_object(entry), 1);
  return name == kUidObject;
}

std::string text_of(X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  std::string result;
  if (size >= 0) result.assign(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return result;
}

// Empty when the subject has none.
Result<std::string> uid_in(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const http::openssl::CertificatePointer certificate(
      d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  if (certificate == nullptr) return Status(Reason::kUnauthorized, "it can't be read");
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  std::string uid;
  int count = 0;
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    if (!is_uid(entry)) continue;
    uid = text_of(entry);
    ++count;
  }
  if (count > 1) return Status(Reason::kUnauthorized, "expected 1 UID, but found multiple");
  if (count == 1 && uid.empty()) {
    return Status(Reason::kUnauthorized, "UID cannot be an empty string");
  }
  return uid;
}

}  // namespace certificates

Result<UserPtr> CertificateJudge::judge_anew(const http::PeerCertificates& shown) const {
  http::CertificateSubject subject = TRY(authorities_->verify(shown, clock_.now()));
  const std::string& certificate = shown.chain_der.front();
  auto user = std::make_shared<User>();
  user->uid = TRY(certificates::uid_in(certificate));
  user->name = std::move(subject.common_name);
  user->groups = std::move(subject.organizations);
  user->extra.push_back(
      {std::string(kCredentialId), std::vector{certificates::fingerprint(certificate)}});
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
  const Result<UserPtr> user = judge_anew(peer.certificates);
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

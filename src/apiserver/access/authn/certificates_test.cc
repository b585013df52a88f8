#include "apiserver/access/authn/certificates.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/strings.h"
#include "http/net/certificate.h"
#include "http/net/openssl.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using http::openssl::CertificatePointer;
using http::openssl::KeyPointer;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

CertificatePointer read(const std::string& pem) {
  return CertificatePointer(
      PEM_read_bio_X509(http::openssl::reading(pem).get(), nullptr, nullptr, nullptr));
}

std::string der_of(X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate, &der);
  std::string text(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  OPENSSL_free(der);
  return text;
}

class CertificatesTest : public testing::Test {
 protected:
  http::CertifiedKey make_ca(const std::string& name) const {
    http::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.not_before = clock_.now() - hours(1);
    wanted.not_after = clock_.now() + hours(100);
    return http::make_authority(wanted).value();
  }
  static std::unique_ptr<const http::ClientCertificates> trusting(const http::CertifiedKey& ca) {
    return http::ClientCertificates::trust(ca.certificate_pem).value();
  }
  http::Peer peer(const http::CertifiedKey& ca, const std::string& name,
                  std::vector<std::string> groups = {}, Duration lifetime = hours(1),
                  bool for_client = true) const {
    http::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.organizations = std::move(groups);
    wanted.for_client = for_client;
    wanted.for_server = !for_client;
    wanted.not_before = clock_.now() - minutes(1);
    wanted.not_after = clock_.now() + lifetime;
    const std::string pem = http::issue_certificate(ca, wanted).value().certificate_pem;
    return {.address = "192.0.2.7", .certificates = {{der_of(read(pem).get())}}, .secure = true};
  }
  // One with such parts in its subject.
  http::Peer peer_with_uids(const std::vector<std::string>& uids) const {
    const CertificatePointer ca = read(ca_.certificate_pem);
    const KeyPointer key(PEM_read_bio_PrivateKey(http::openssl::reading(ca_.private_key_pem).get(),
                                                 nullptr, nullptr, nullptr));
    const CertificatePointer made(X509_new());
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 7);
    const auto now = std::chrono::floor<seconds>(clock_.now().time_since_epoch()).count();
    ASN1_TIME_set(X509_getm_notBefore(made.get()), now - 60);
    ASN1_TIME_set(X509_getm_notAfter(made.get()), now + 3600);
    X509_set_issuer_name(made.get(), X509_get_subject_name(ca.get()));
    X509_NAME* subject = X509_get_subject_name(made.get());
    const auto add = [&](const char* object, const std::string& text) {
      ASN1_OBJECT* id = OBJ_txt2obj(object, 0);
      X509_NAME_add_entry_by_OBJ(subject, id, MBSTRING_UTF8,
                                 reinterpret_cast<const unsigned char*>(text.data()),
                                 static_cast<int>(text.size()), -1, 0);
      ASN1_OBJECT_free(id);
    };
    add("CN", "alice");
    for (const std::string& uid : uids) add("1.3.6.1.4.1.57683.2", uid);
    X509_set_pubkey(made.get(), key.get());
    X509_sign(made.get(), key.get(), EVP_sha256());
    return {.address = {}, .certificates = {{der_of(made.get())}}, .secure = true};
  }
  Result<UserPtr> authenticate(const http::Peer& peer) {
    const http::Headers headers;
    return certificates_.authenticate({peer, headers, "/api"});
  }

  testkit::FakeClock clock_;
  const http::CertifiedKey ca_ = make_ca("clients");
  Certificates certificates_{trusting(ca_), clock_};
};

TEST_F(CertificatesTest, NameUsersAndTheirGroups) {
  const http::Peer alice = peer(ca_, "alice", {"dev", "ops"});
  const UserPtr user = authenticate(alice).value();
  ASSERT_NE(user, nullptr);
  EXPECT_EQ(user->name, "alice");
  EXPECT_EQ(user->uid, "");
  EXPECT_EQ(user->groups, (std::vector<std::string>{"dev", "ops", "system:authenticated"}));
  ASSERT_EQ(user->extra.size(), 1u);
  EXPECT_EQ(user->extra[0].first, "authentication.kubernetes.io/credential-id");
  ASSERT_EQ(user->extra[0].second.size(), 1u);
  const std::string& id = user->extra[0].second[0];
  EXPECT_TRUE(id.starts_with("X509SHA256="));
  EXPECT_EQ(id.size(), 11u + 64u);
}

TEST_F(CertificatesTest, AreNotAskedForWhereNoneWasShown) {
  EXPECT_EQ(authenticate({}).value(), nullptr);
  // A certificate without a name says nothing, right as it is.
  EXPECT_EQ(authenticate(peer(ca_, "")).value(), nullptr);
}

TEST_F(CertificatesTest, AreWrongWhenNobodyVouchesForThem) {
  EXPECT_TRUE(authenticate(peer(make_ca("clients"), "alice")).is(Reason::kUnauthorized));
  EXPECT_TRUE(authenticate(peer(ca_, "alice", {}, -seconds(1))).is(Reason::kUnauthorized));
  EXPECT_TRUE(authenticate(peer(ca_, "alice", {}, hours(1), false)).is(Reason::kUnauthorized));
  const http::Peer garbage{.address = {}, .certificates = {{"garbage"}}, .secure = true};
  EXPECT_TRUE(authenticate(garbage).is(Reason::kUnauthorized));
  const http::Peer empty{.address = {}, .certificates = {{""}}, .secure = true};
  EXPECT_TRUE(authenticate(empty).is(Reason::kUnauthorized));
}

TEST_F(CertificatesTest, AreJudgedOnceAConnectionAndAgainAfterAMinute) {
  const http::Peer alice = peer(ca_, "alice", {}, seconds(90));
  const UserPtr user = authenticate(alice).value();
  clock_.advance(seconds(59));
  EXPECT_EQ(authenticate(alice).value(), user);
  clock_.advance(seconds(1));
  EXPECT_NE(authenticate(alice).value(), user);
  clock_.advance(seconds(60));
  EXPECT_TRUE(authenticate(alice).is(Reason::kUnauthorized));
}

TEST_F(CertificatesTest, AreKeptApartByWhoJudgesThem) {
  const CertificateJudge own(trusting(ca_), clock_);
  const CertificateJudge other(trusting(make_ca("others")), clock_);
  const http::Peer alice = peer(ca_, "alice");
  const UserPtr user = own.judge(alice).value();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(other.judge(alice).is(Reason::kUnauthorized));
    EXPECT_EQ(own.judge(alice).value(), user);
    clock_.advance(seconds(10));
  }
  clock_.advance(minutes(1));
  EXPECT_TRUE(other.judge(alice).is(Reason::kUnauthorized));
  EXPECT_EQ(own.judge(alice).value()->name, "alice");
}

TEST_F(CertificatesTest, MaySayAUid) {
  EXPECT_EQ(authenticate(peer_with_uids({})).value()->uid, "");
  const UserPtr user = authenticate(peer_with_uids({"u-1"})).value();
  EXPECT_EQ(user->uid, "u-1");
  EXPECT_EQ(user->name, "alice");
  EXPECT_EQ(authenticate(peer_with_uids({"u-1", "u-2"})).status().message(),
            "expected 1 UID, but found multiple");
}

}  // namespace
}  // namespace proa::apiserver

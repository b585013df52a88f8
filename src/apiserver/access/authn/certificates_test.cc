#include "apiserver/access/authn/certificates.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "crypto/authority.h"
#include "testkit/crypto/test_certificate.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class CertificatesTest : public testing::Test {
 protected:
  crypto::CertifiedKey make_ca(const std::string& name) const {
    crypto::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.not_before = clock_.now() - hours(1);
    wanted.not_after = clock_.now() + hours(100);
    return crypto::make_authority(wanted).value();
  }
  static std::unique_ptr<const crypto::ClientVerifier> trusting(const crypto::CertifiedKey& ca) {
    return crypto::ClientVerifier::trust(ca.certificate_pem).value();
  }
  http::Peer peer(const crypto::CertifiedKey& ca, const std::string& name,
                  std::vector<std::string> groups = {}, Duration lifetime = hours(1),
                  bool for_client = true) const {
    crypto::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.organizations = std::move(groups);
    wanted.for_client = for_client;
    wanted.for_server = !for_client;
    wanted.not_before = clock_.now() - minutes(1);
    wanted.not_after = clock_.now() + lifetime;
    const std::string pem = crypto::issue_certificate(ca, wanted).value().certificate_pem;
    return {.address = "192.0.2.7",
            .certificates = {{crypto::Certificate::parse(pem)->der()}},
            .secure = true};
  }
  // With these uids in its subject.
  http::Peer peer_with_uids(const std::vector<std::string>& uids) const {
    std::vector<std::pair<std::string, std::string>> subject = {{"CN", "alice"}};
    for (const std::string& uid : uids) subject.emplace_back("1.3.6.1.4.1.57683.2", uid);
    const auto made = crypto::make_test_certificate(ca_, subject, clock_.now());
    return {.address = {}, .certificates = {{made.der()}}, .secure = true};
  }
  Result<UserPtr> authenticate(const http::Peer& peer) {
    const http::Headers headers;
    return certificates_.authenticate({peer, headers, "/api"});
  }

  testkit::FakeClock clock_;
  const crypto::CertifiedKey ca_ = make_ca("clients");
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
  // A valid certificate without a name does not authenticate.
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

TEST_F(CertificatesTest, OfThisServerForKubeletsHaveNoRightsHere) {
  EXPECT_TRUE(authenticate(peer(ca_, "kube-apiserver-kubelet-client")).is(Reason::kUnauthorized));
  EXPECT_TRUE(authenticate(peer(ca_, "x", {"proa:kubelet-clients"})).is(Reason::kUnauthorized));
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
  const ClientCertificateVerifier own(trusting(ca_), clock_);
  const ClientCertificateVerifier other(trusting(make_ca("others")), clock_);
  const http::Peer alice = peer(ca_, "alice");
  const UserPtr user = own.verify(alice).value();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(other.verify(alice).is(Reason::kUnauthorized));
    EXPECT_EQ(own.verify(alice).value(), user);
    clock_.advance(seconds(10));
  }
  clock_.advance(minutes(1));
  EXPECT_TRUE(other.verify(alice).is(Reason::kUnauthorized));
  EXPECT_EQ(own.verify(alice).value()->name, "alice");
}

TEST_F(CertificatesTest, MaySayAUid) {
  EXPECT_EQ(authenticate(peer_with_uids({})).value()->uid, "");
  const UserPtr user = authenticate(peer_with_uids({"u-1"})).value();
  EXPECT_EQ(user->uid, "u-1");
  EXPECT_EQ(user->name, "alice");
  EXPECT_EQ(authenticate(peer_with_uids({"u-1", "u-2"})).status().message(),
            "expected 1 UID, but found multiple");
}

TEST_F(CertificatesTest, AreCountedByTheTimeThatIsLeft) {
  const http::Peer alice = peer(ca_, "alice", {}, hours(1));
  ASSERT_TRUE(authenticate(alice).ok());
  // Once per request, also where the verdict is cached.
  ASSERT_TRUE(authenticate(alice).ok());
  // Refused ones, too.
  EXPECT_FALSE(authenticate(peer(ca_, "late", {}, -seconds(30))).ok());
  ASSERT_TRUE(authenticate({}).ok());
  MetricsText text;
  certificates_.write_metrics(text);
  const std::string found = text.take();
  const std::string name = "\napiserver_client_certificate_expiration_seconds";
  EXPECT_NE(found.find(name + "_bucket{le=\"0\"} 1\n"), std::string::npos) << found;
  EXPECT_NE(found.find(name + "_bucket{le=\"1800\"} 1\n"), std::string::npos) << found;
  EXPECT_NE(found.find(name + "_bucket{le=\"3600\"} 3\n"), std::string::npos) << found;
  EXPECT_NE(found.find(name + "_sum 7200\n"), std::string::npos) << found;
}

}  // namespace
}  // namespace proa::apiserver

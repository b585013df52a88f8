#include "apiserver/streaming/kubelet_trust.h"

#include <gtest/gtest.h>

#include "crypto/authority.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace kubelet_trust_test {

const Result<void> kVerified;
const Result<void> kUnverified = Status(Reason::kServiceUnavailable, "certificate refused: x");

class KubeletTrustTest : public testing::Test {
 protected:
  crypto::CertificateTemplate valid() const {
    crypto::CertificateTemplate wanted;
    wanted.common_name = "n1";
    wanted.not_before = clock_.now();
    wanted.not_after = clock_.now() + std::chrono::hours(1);
    return wanted;
  }
  // The chain of a kubelet under that authority.
  std::vector<std::string> chain(const crypto::CertifiedKey& authority) const {
    crypto::CertificateTemplate wanted = valid();
    wanted.for_server = true;
    const auto made = crypto::issue_certificate(authority, wanted).value();
    return {crypto::Certificate::parse(made.certificate_pem)->der()};
  }
  std::string check(const Result<void>& verified, const std::vector<std::string>& chain,
                    const std::string& pin = "") {
    const auto done = trust_.check({.node = "n1", .uid = "u1", .pin = pin}, verified, chain);
    return done ? "" : done.status().message();
  }

  testkit::FakeClock clock_;
  const crypto::CertifiedKey own_ = crypto::make_authority(valid()).value();
  const crypto::CertifiedKey foreign_ = crypto::make_authority(valid()).value();
  KubeletTrust trust_{own_.certificate_pem};
};

TEST_F(KubeletTrustTest, RemembersTheFirstForeignCertificate) {
  std::vector<std::string> remembered;
  trust_.set_remember([&](const ExpectedKubelet& kubelet) { remembered.push_back(kubelet.str()); });
  const auto first = chain(foreign_);
  const auto second = chain(foreign_);
  EXPECT_EQ(check(kUnverified, first), "");
  ASSERT_EQ(remembered.size(), 1u);
  const ExpectedKubelet stored = ExpectedKubelet::parse(remembered[0]);
  EXPECT_EQ(stored.node, "n1");
  EXPECT_EQ(stored.uid, "u1");
  EXPECT_TRUE(stored.pin.starts_with("sha256:")) << stored.pin;
  // Also before the annotation is written.
  EXPECT_EQ(check(kUnverified, first), "");
  const std::string refused = check(kUnverified, second);
  EXPECT_NE(refused.find("its certificate changed from sha256:"), std::string::npos) << refused;
  EXPECT_NE(refused.find("kubectl annotate node n1 proa.dev/kubelet-certificate-"),
            std::string::npos);
  trust_.forget("u1");
  EXPECT_EQ(check(kUnverified, first, stored.pin), "");
  EXPECT_NE(check(kUnverified, second, stored.pin), "");
  EXPECT_EQ(remembered.size(), 1u);
  // The administrator removed the annotation.
  EXPECT_EQ(check(kUnverified, second), "");
}

TEST_F(KubeletTrustTest, TakesNoForeignCertificateAfterOneOfTheCluster) {
  EXPECT_EQ(check(kUnverified, chain(foreign_)), "");
  EXPECT_EQ(check(kVerified, chain(own_)), "");  // a joined node has got its certificate
  const std::string refused = check(kUnverified, chain(foreign_));
  EXPECT_NE(refused.find("had a certificate of the cluster's CA before"), std::string::npos)
      << refused;
  trust_.forget("u1");
  EXPECT_NE(check(kUnverified, chain(foreign_), "authority"), "");
}

TEST_F(KubeletTrustTest, PinsNoCertificateOfTheClusterThatIsNotValid) {
  EXPECT_EQ(check(kUnverified, chain(own_)), "certificate refused: x");
  auto hidden = chain(foreign_);
  hidden.push_back(chain(own_)[0]);
  EXPECT_EQ(check(kUnverified, hidden), "certificate refused: x");
  EXPECT_EQ(check(kUnverified, {}), "certificate refused: x");
}

TEST(ExpectedKubelet, IsReadAsWritten) {
  for (const char* text : {"n1 u1 sha256:ab", "n1 u1 ", "n1  authority"}) {
    EXPECT_EQ(ExpectedKubelet::parse(text).str(), text);
  }
  EXPECT_EQ(ExpectedKubelet::parse("").node, "");
}

}  // namespace kubelet_trust_test
}  // namespace proa::apiserver

#include "controllers/access/certificates/sign.h"

#include <gtest/gtest.h>

#include "client/certificates/test_request.h"
#include "crypto/authority.h"
#include "crypto/client_verifier.h"
#include "testkit/crypto/test_certificate.h"
#include "testkit/crypto/test_request.h"
#include "testkit/fake_clock.h"

namespace proa::controllers {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> kClientUsages = {"client auth", "digital signature",
                                                "key encipherment"};
const std::vector<std::string> kServingUsages = {"server auth", "digital signature",
                                                 "key encipherment"};

class SignTest : public testing::Test {
 protected:
  SignTest() {
    crypto::CertificateTemplate wanted;
    wanted.common_name = "test-authority";
    wanted.not_before = clock_.now() - 24h;
    wanted.not_after = clock_.now() + 24h * 3650;
    authority_ = crypto::make_authority(wanted).value();
  }

  static client::TestRequestObject approved(
      const std::string& signer, const crypto::TestRequest& request,
      const std::vector<std::string>& usages = kClientUsages) {
    return {.signer = signer, .usages = usages, .pem = request.pem(), .conditions = {"Approved"}};
  }
  Result<Signed> run(const client::TestRequestObject& object,
                     Duration longest = kMaxCertificateLifetime) {
    const json::Document document = object.document();
    return sign_request(document.root(), authority_, clock_, longest);
  }
  std::optional<crypto::Certificate> issue(const client::TestRequestObject& object,
                                           Duration longest = kMaxCertificateLifetime) {
    const auto done = run(object, longest);
    EXPECT_TRUE(done.ok()) << done.status().message();
    if (!done) return std::nullopt;
    EXPECT_FALSE(done->condition.has_value()) << done->condition->message;
    return crypto::Certificate::parse(done->certificate_pem).value();
  }

  testkit::FakeClock clock_;
  crypto::CertifiedKey authority_;
  const crypto::TestRequest person_{.subject = {{"O", "some-org"}, {"CN", "hello-world"}}};
  const crypto::TestRequest node_{.subject = {{"O", "system:nodes"}, {"CN", "system:node:a"}},
                                  .names = "DNS:a.example,IP:10.0.0.1,IP:fd00::1"};
};

TEST_F(SignTest, MakesAClientCertificate) {
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client", person_));
  ASSERT_TRUE(made);
  const crypto::Certificate& certificate = *made;
  EXPECT_EQ(subject_text(certificate), "O=some-org,CN=hello-world");
  EXPECT_EQ(extension_text(certificate, "keyUsage"),
            "critical Digital Signature, Key Encipherment");
  EXPECT_EQ(extension_text(certificate, "extendedKeyUsage"), "TLS Web Client Authentication");
  EXPECT_EQ(extension_text(certificate, "basicConstraints"), "critical CA:FALSE");
  EXPECT_EQ(extension_text(certificate, "subjectAltName"), "");
  EXPECT_NE(extension_text(certificate, "authorityKeyIdentifier"), "");
  EXPECT_EQ(certificate.not_before(), clock_.now() - 5min);
  EXPECT_EQ(certificate.not_after(), clock_.now() + 24h * 365 - 5min);
}

TEST_F(SignTest, TheServerKnowsTheOneWhoShowsIt) {
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client", person_));
  ASSERT_TRUE(made);
  const std::vector<std::string> shown = {made->der()};
  const auto trusted = crypto::ClientVerifier::trust(authority_.certificate_pem).value();
  const auto verified = trusted->verify(shown, clock_.now());
  ASSERT_TRUE(verified.ok()) << verified.status().message();
  EXPECT_EQ(verified->identity()->common_name, "hello-world");
  EXPECT_EQ(verified->identity()->organizations, std::vector<std::string>{"some-org"});
  EXPECT_FALSE(trusted->verify(shown, clock_.now() + 24h * 365).ok());
}

TEST_F(SignTest, MakesAKubeletsServingCertificate) {
  const auto made =
      issue(approved("kubernetes.io/kubelet-serving", node_, {"server auth", "digital signature"}));
  ASSERT_TRUE(made);
  EXPECT_EQ(subject_text(*made), "O=system:nodes,CN=system:node:a");
  EXPECT_EQ(extension_text(*made, "keyUsage"), "critical Digital Signature");
  EXPECT_EQ(extension_text(*made, "extendedKeyUsage"), "TLS Web Server Authentication");
  EXPECT_EQ(extension_text(*made, "subjectAltName"),
            "DNS:a.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1");
  EXPECT_TRUE(made->covers("a.example"));
}

TEST_F(SignTest, MakesAKubeletsClientCertificate) {
  const crypto::TestRequest node{.subject = {{"O", "system:nodes"}, {"CN", "system:node:a"}}};
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client-kubelet", node));
  ASSERT_TRUE(made);
  EXPECT_EQ(subject_text(*made), "O=system:nodes,CN=system:node:a");
  EXPECT_EQ(extension_text(*made, "extendedKeyUsage"), "TLS Web Client Authentication");
}

TEST_F(SignTest, TakesOverOnlyWhatWasLookedAt) {
  const crypto::TestRequest request{.subject = {{"CN", "first"},
                                                {"O", "one"},
                                                {"emailAddress", "a@b.example"},
                                                {"O", "two"},
                                                {"CN", "last"}},
                                    .names = "DNS:a.example,RID:1.2.3.4"};
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client", request));
  ASSERT_TRUE(made);
  EXPECT_EQ(subject_text(*made), "O=one+O=two,CN=last");
  EXPECT_EQ(extension_text(*made, "subjectAltName"), "DNS:a.example");
}

TEST_F(SignTest, NamesAloneAreCritical) {
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client",
                                   crypto::TestRequest{.names = "DNS:a.example"}));
  ASSERT_TRUE(made);
  EXPECT_EQ(extension_text(*made, "subjectAltName"), "critical DNS:a.example");
}

TEST_F(SignTest, LongNamesOfNodesFit) {
  const std::string name = "system:node:" + std::string(200, 'a');
  const crypto::TestRequest node{.subject = {{"O", "system:nodes"}, {"CN", name}}};
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client-kubelet", node));
  ASSERT_TRUE(made);
  EXPECT_EQ(subject_text(*made), "O=system:nodes,CN=" + name);
}

TEST_F(SignTest, SerialNumbersDiffer) {
  const auto object = approved("kubernetes.io/kube-apiserver-client", person_);
  const auto first = issue(object);
  const auto second = issue(object);
  EXPECT_NE(serial_number(*first), serial_number(*second));
}

TEST_F(SignTest, LivesAsLongAsWasAskedFor) {
  const struct {
    const char* name;
    Duration longest;
    int64_t asked;
    Duration life;  // from now on
  } cases[] = {
      {"less than the longest", 1h, 30 * 60, 30min},
      {"more than the longest", 1h, 3 * 3600, 1h},
      {"less than nothing", 1h, -60, 10min},
      {"less than ten minutes", 1h, 599, 10min},
      {"ten minutes", 1h, 600, 10min},
      {"the longest", 1h, 3600, 1h},
      {"nothing was said", 1h, 0, 1h},
      {"short ones are not cut", 24h, 8 * 3600 - 1, 8h - 1s},
      {"long ones are, by what they begin earlier", 24h, 8 * 3600, 8h - 5min},
      {"more than anybody can count", 24h, std::numeric_limits<int64_t>::max(), 24h - 5min},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    client::TestRequestObject object = approved("kubernetes.io/kube-apiserver-client", person_);
    object.seconds = c.asked;
    const auto made = issue(object, c.longest);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->not_before(), clock_.now() - 5min);
    EXPECT_EQ(made->not_after(), clock_.now() + c.life);
  }
}

TEST_F(SignTest, NoneOutlivesItsAuthority) {
  const client::TestRequestObject object = approved("kubernetes.io/kube-apiserver-client", person_);
  const Time end = clock_.now() + 24h * 3650;
  clock_.set_calendar(end - 1h);
  const auto made = issue(object);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->not_after(), end);
  clock_.set_calendar(end);
  EXPECT_NE(run(object).status().message().find("refusing to sign a certificate that expired"),
            std::string::npos);
  clock_.set_calendar(end + 5min);
  EXPECT_NE(run(object).status().message().find("the signer has expired"), std::string::npos);
}

TEST_F(SignTest, AnAuthorityMayLiveForever) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "test-authority";
  wanted.not_before = Time();
  wanted.not_after = Time(std::chrono::floor<std::chrono::seconds>(Duration::max()));
  authority_ = crypto::make_authority(wanted).value();
  const auto made = issue(approved("kubernetes.io/kube-apiserver-client", person_));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->not_after(), clock_.now() + 24h * 365 - 5min);
}

TEST_F(SignTest, SaysForGoodWhatItWillNotSign) {
  const struct {
    client::TestRequestObject object;
    const char* message;
  } cases[] = {
      {approved("kubernetes.io/kube-apiserver-client", person_, kServingUsages),
       "invalid usage for client certificate: server auth"},
      {approved("kubernetes.io/kube-apiserver-client-kubelet", person_),
       "subject organization is not system:nodes"},
      {approved("kubernetes.io/kubelet-serving", person_, kServingUsages),
       "subject organization is not system:nodes"},
  };
  for (const auto& c : cases) {
    const auto done = run(c.object);
    ASSERT_TRUE(done.ok()) << done.status().message();
    EXPECT_EQ(done->certificate_pem, "");
    ASSERT_TRUE(done->condition.has_value());
    EXPECT_EQ(done->condition->type, "Failed");
    EXPECT_EQ(done->condition->reason, "SignerValidationFailure");
    EXPECT_EQ(done->condition->message, c.message);
  }
}

TEST_F(SignTest, LeavesAloneWhatIsNotForIt) {
  const auto leaves_alone = [&](const client::TestRequestObject& object) {
    const auto done = run(object);
    return done.ok() && done->certificate_pem.empty() && !done->condition;
  };
  for (const char* signer : {"kubernetes.io/legacy-unknown", "kubernetes.io/not-recognised",
                             "example.com/sample-name", ""}) {
    EXPECT_TRUE(leaves_alone(approved(signer, person_))) << signer;
  }
  client::TestRequestObject object = approved("kubernetes.io/kube-apiserver-client", person_);
  for (const std::vector<std::string>& conditions :
       {std::vector<std::string>{}, {"Denied"}, {"Approved", "Denied"}, {"Approved", "Failed"}}) {
    object.conditions = conditions;
    EXPECT_TRUE(leaves_alone(object)) << conditions.size();
  }
  object.conditions = {"Approved"};
  json::Document done = object.document();
  done.root().find("status")->set(done.arena(), "certificate", json::Value::borrowed("ZGF0YQ=="));
  EXPECT_EQ(sign_request(done.root(), authority_, clock_)->certificate_pem, "");
}

TEST_F(SignTest, FailsWhereTheRequestIsForged) {
  crypto::TestRequest forged = person_;
  forged.other_signature = true;
  EXPECT_EQ(run(approved("kubernetes.io/kube-apiserver-client", forged)).status().message(),
            "unable to verify certificate request signature: x509: ECDSA verification failure");
  client::TestRequestObject garbage = approved("kubernetes.io/kube-apiserver-client", person_);
  garbage.pem = "garbage";
  EXPECT_EQ(run(garbage).status().message(), "PEM block type must be CERTIFICATE REQUEST");
  json::Document nothing;
  EXPECT_TRUE(sign_request(nothing.root(), authority_, clock_).ok());
}

TEST_F(SignTest, FailsWithoutAnAuthority) {
  const client::TestRequestObject object = approved("kubernetes.io/kube-apiserver-client", person_);
  const crypto::CertifiedKey good = authority_;
  authority_.private_key_pem = "garbage";
  EXPECT_TRUE(run(object).is(Reason::kInternalError));
  authority_ = {"garbage", good.private_key_pem};
  EXPECT_TRUE(run(object).is(Reason::kInternalError));
  crypto::CertificateTemplate other;
  other.common_name = "other";
  other.not_before = clock_.now();
  other.not_after = clock_.now() + 24h;
  authority_ = {good.certificate_pem, crypto::make_authority(other).value().private_key_pem};
  EXPECT_TRUE(run(object).is(Reason::kInternalError));
}

}  // namespace
}  // namespace proa::controllers

#include "cli/credentials/join_token.h"

#include <gtest/gtest.h>

#include <set>

#include "crypto/authority.h"
#include "testkit/fake_clock.h"

namespace proa::cli {
namespace {

// openssl x509 -pubkey -noout | openssl pkey -pubin -outform DER | sha256sum
constexpr const char* kCertificate = R"(-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUcdLutTwAaLvh0ghG2cG1dEEIBB8wCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcHJvYTAgFw0yNjExMTUwOTQ0NTlaGA8yMTI2MTAyMjA5NDQ1
OVowDzENMAsGA1UEAwwEcHJvYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGXm
k1mKYJ2Gkbi0+SuaG6+ToLF9BlswzhLyjmHbtXlo61YRiz9sVdael48cRENde8JD
Bf/KBJifEYsse/WtndCjUzBRMB0GA1UdDgQWBBTKgu8weAX9BVCxP2rS3LCzvqAt
izAfBgNVHSMEGDAWgBTKgu8weAX9BVCxP2rS3LCzvqAtizAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIHmpd3qwRysDK4tQEjYj578CWc9VVp0p4GkN
wIoq6Y2bAiEAneXjXZf/R3DnQTRje/aw1d05n0D/xdWEOo0CAbL4tGg=
-----END CERTIFICATE-----
)";
constexpr const char* kHash = "d5b50c2488ef284b697c96123ffa0e467ce5e479dfd3ffbed622f7cdb551e723";

TEST(JoinToken, IsWrittenAndReadAgain) {
  SeededRandom random(1);
  const JoinToken token = make_join_token(random, kCertificate).value();
  EXPECT_EQ(token.str(), "proa1." + token.id + "." + token.secret + "." + kHash);
  EXPECT_EQ(token.bearer(), token.id + "." + token.secret);
  const JoinToken read = JoinToken::parse(" " + token.str() + "\n").value();
  EXPECT_EQ(read.str(), token.str());
}

TEST(JoinToken, IsAnotherEveryTime) {
  SystemRandom random;
  std::set<std::string> ids;
  std::set<std::string> secrets;
  for (int i = 0; i < 100; ++i) {
    const JoinToken token = make_join_token(random, kCertificate).value();
    EXPECT_EQ(token.id.size(), 6U);
    EXPECT_EQ(token.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"),
              std::string::npos);
    EXPECT_EQ(token.secret.size(), 32U);
    EXPECT_EQ(token.secret.find_first_not_of("abcdef0123456789"), std::string::npos);
    ids.insert(token.id);
    secrets.insert(token.secret);
  }
  EXPECT_EQ(ids.size(), 100U);
  EXPECT_EQ(secrets.size(), 100U);
}

TEST(JoinToken, IsReadOnlyWhenItIsWhole) {
  SeededRandom random(1);
  const std::string good = make_join_token(random, kCertificate).value().str();
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(JoinToken::parse(good.substr(0, size)).is(Reason::kInvalid)) << size;
  }
  std::string upper = good;
  upper.back() = 'F';
  for (const std::string& bad : {good + "0", good + ".", "x" + good, upper, std::string("...."),
                                 std::string("proa2") + good.substr(5)}) {
    const auto read = JoinToken::parse(bad);
    ASSERT_TRUE(read.is(Reason::kInvalid)) << bad;
    // Secrets don't belong into messages.
    EXPECT_EQ(read.status().message().find(good.substr(13, 32)), std::string::npos);
  }
}

TEST(JoinToken, NeedsAnAuthority) {
  SeededRandom random(1);
  EXPECT_TRUE(make_join_token(random, "").is(Reason::kInvalid));
  EXPECT_TRUE(make_join_token(random, "garbage").is(Reason::kInvalid));
}

TEST(PublicKeyHash, IsOfTheKey) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "proa";
  wanted.not_before = testkit::FakeClock::kStart;
  wanted.not_after = testkit::FakeClock::kStart + std::chrono::hours(1);
  const auto first = crypto::make_authority(wanted).value();
  const auto second = crypto::make_authority(wanted).value();
  EXPECT_EQ(public_key_hash(first.certificate_pem)->size(), 64U);
  EXPECT_EQ(*public_key_hash(first.certificate_pem), *public_key_hash(first.certificate_pem));
  EXPECT_NE(*public_key_hash(first.certificate_pem), *public_key_hash(second.certificate_pem));
}

TEST(TokenId, IsFoundInEveryForm) {
  SeededRandom random(1);
  const JoinToken token = make_join_token(random, kCertificate).value();
  for (const std::string& text : {token.id, token.bearer(), token.str(), token.str() + "\n"}) {
    EXPECT_EQ(token_id(text).value(), token.id);
  }
  EXPECT_EQ(token_id("abcdef.0123456789abcdef").value(), "abcdef");
  for (const char* bad : {"", ".", "abcde", "abcdefg", "ABCDEF", "abc/..", "proa1.abcdef"}) {
    EXPECT_TRUE(token_id(bad).is(Reason::kInvalid)) << bad;
  }
}

}  // namespace
}  // namespace proa::cli

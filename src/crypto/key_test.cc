#include "crypto/key.h"

#include <gtest/gtest.h>

#include "testkit/crypto/test_key.h"

namespace proa::crypto {

TEST(PrivateKey, IsReadBackFromPem) {
  const PrivateKey made = PrivateKey::generate();
  const PrivateKey read = PrivateKey::parse(made.pem()).value();
  EXPECT_EQ(read.public_key().der(), made.public_key().der());
  EXPECT_EQ(PublicKey::parse(made.public_key().pem())->der(), made.public_key().der());
  EXPECT_EQ(made.public_key().curve(), Curve::kP256);
  EXPECT_TRUE(PrivateKey::parse(made.public_key().pem()).is(Reason::kInvalid));
  EXPECT_TRUE(PrivateKey::parse("").is(Reason::kInvalid));
  EXPECT_TRUE(PublicKey::parse("no key").is(Reason::kInvalid));
}

TEST(PublicKey, IsMadeFromItsNumbers) {
  for (const char* kind : {"P-256", "P-384", "P-521"}) {
    const PublicKey key = PrivateKey::parse(make_private_key_pem(kind)).value().public_key();
    ASSERT_EQ(key.curve(), curve_named(kind)) << kind;
    EXPECT_EQ(PublicKey::of(key.curve_point())->der(), key.der()) << kind;
  }
  const PublicKey rsa = PrivateKey::parse(make_private_key_pem("RSA-2048")).value().public_key();
  EXPECT_TRUE(rsa.is_rsa());
  EXPECT_EQ(rsa.bits(), 2048);
  EXPECT_EQ(PublicKey::of(rsa.rsa_numbers())->der(), rsa.der());
}

TEST(PublicKey, RefusesNumbersThatMakeNone) {
  const std::string modulus(256, '\xff');
  EXPECT_TRUE(PublicKey::of(RsaNumbers{modulus, "\x03"}).ok());
  for (const RsaNumbers& bad :
       {RsaNumbers{"", "\x03"}, RsaNumbers{modulus.substr(1), "\x03"},
        RsaNumbers{modulus.substr(1) + "\xfe", "\x03"}, RsaNumbers{std::string(5000, 'x'), "\x03"},
        RsaNumbers{modulus, "\x01"}, RsaNumbers{modulus, "\x02"}, RsaNumbers{modulus, ""},
        RsaNumbers{modulus, "\xff\xff\xff\xff"}}) {
    EXPECT_TRUE(PublicKey::of(bad).is(Reason::kInvalid)) << bad.modulus.size();
  }
  CurvePoint point = PrivateKey::generate().public_key().curve_point();
  point.y[5] = static_cast<char>(point.y[5] ^ 1);
  EXPECT_FALSE(PublicKey::of(point).ok());
  point.y.pop_back();
  EXPECT_FALSE(PublicKey::of(point).ok());
}

}  // namespace proa::crypto

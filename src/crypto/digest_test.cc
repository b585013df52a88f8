#include "crypto/digest.h"

#include <gtest/gtest.h>

namespace proa::crypto {

TEST(Sha256, IsWhatTheStandardSays) {
  EXPECT_EQ(sha256("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OfPartsIsThatOfTheWhole) {
  Sha256 sum;
  sum.add("a");
  sum.add("");
  sum.add("bc");
  EXPECT_EQ(sum.finish(), sha256("abc"));
}

TEST(Sha512, IsWhatTheStandardSays) {
  EXPECT_EQ(sha512("abc").hex(),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

TEST(Sha1, IsWhatTheStandardSays) {
  EXPECT_EQ(sha1("abc").hex(), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

// RFC 4231, test cases 2 and 6; and an empty key.
TEST(HmacSha256, IsWhatTheStandardSays) {
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?").hex(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'),
                        "Test Using Larger Than Block-Size Key - Hash Key First")
                .hex(),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hmac_sha256({}, "").hex(),
            "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

TEST(SipHash, TellsPartsAndKeysApart) {
  const SipHash fresh({1});
  const auto of = [&](std::initializer_list<std::string_view> parts) {
    SipHash hash = fresh;
    for (const std::string_view part : parts) hash.add(part);
    return hash.finish();
  };
  EXPECT_EQ(of({"ab", "c"}), of({"ab", "c"}));
  EXPECT_NE(of({"ab", "c"}), of({"a", "bc"}));
  EXPECT_NE(of({"a"}), of({"a", ""}));
  SipHash other({2});
  other.add("a");
  EXPECT_NE(other.finish(), of({"a"}));
}

}  // namespace proa::crypto

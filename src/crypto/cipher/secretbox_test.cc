#include "crypto/cipher/secretbox.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace proa::crypto {
namespace secretbox_test {

// Of NaCl's own test of crypto_secretbox.
const std::string kKey =
    *from_hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
const std::string kNonce = *from_hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
const std::string kPlain = *from_hex(
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61"
    "296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af"
    "1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705");
constexpr std::string_view kSealed =
    "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a118"
    "6ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e5"
    "26ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654c"
    "b45a74e355a5";

TEST(Secretbox, IsThatOfNaCl) {
  std::string sealed = "before ";
  seal_secretbox(kKey, kNonce, kPlain, sealed);
  EXPECT_EQ(to_hex(sealed.substr(7)), kSealed);
  EXPECT_EQ(open_secretbox(kKey, kNonce, sealed.substr(7)), kPlain);
}

TEST(Secretbox, EveryChangeIsNoticed) {
  const std::string sealed = *from_hex(kSealed);
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] ^= 1;
    EXPECT_FALSE(open_secretbox(kKey, kNonce, changed)) << i;
    EXPECT_FALSE(open_secretbox(kKey, kNonce, sealed.substr(0, i))) << i;
  }
  EXPECT_FALSE(open_secretbox(std::string(kSecretboxKeySize, 'k'), kNonce, sealed));
  EXPECT_FALSE(open_secretbox(kKey, std::string(kSecretboxNonceSize, 'n'), sealed));
}

TEST(Secretbox, TextsOfAllLengthsComeBack) {
  for (size_t size = 0; size < 200; ++size) {
    const std::string plain(size, 'x');
    std::string sealed;
    seal_secretbox(kKey, kNonce, plain, sealed);
    EXPECT_EQ(sealed.size(), size + kSecretboxTagSize);
    EXPECT_EQ(open_secretbox(kKey, kNonce, sealed), plain) << size;
  }
}

}  // namespace secretbox_test
}  // namespace proa::crypto

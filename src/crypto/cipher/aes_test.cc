#include "crypto/cipher/aes.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/encoding.h"

namespace proa::crypto {
namespace aes_test {

std::string counting(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

constexpr std::string_view kPlain = R"({"kind":"Secret"})";
constexpr std::string_view kPlace = "/registry/secrets/default/a";

TEST(AesGcm, IsWhatOtherLibrariesMake) {
  const std::pair<size_t, const char*> cases[] = {
      {16, "e84ecca7087fd56e698104e944c6042ace7e84d2036f2a01dc1244e2abe6bee5b9"},
      {24, "9ddb49f2f7ddeb34f260b9e18dcca8527323f185148b3d5cfc7e8d3792e19f1f89"},
      {32, "3c20bd72ab81e021af12f2e8c38c0c4ffe1088c8292577bb0a7c5fec9690e03563"},
  };
  for (const auto& [size, sealed] : cases) {
    SCOPED_TRACE(size);
    std::string made = "before ";
    seal_aes_gcm(counting(size), counting(12), kPlace, kPlain, made);
    EXPECT_EQ(made.substr(0, 7), "before ");
    EXPECT_EQ(to_hex(made.substr(7)), sealed);
    EXPECT_EQ(open_aes_gcm(counting(size), counting(12), kPlace, made.substr(7)), kPlain);
  }
}

TEST(AesGcm, EveryChangeIsNoticed) {
  std::string sealed;
  seal_aes_gcm(counting(32), counting(12), kPlace, kPlain, sealed);
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] ^= 1;
    EXPECT_FALSE(open_aes_gcm(counting(32), counting(12), kPlace, changed)) << i;
    EXPECT_FALSE(open_aes_gcm(counting(32), counting(12), kPlace, sealed.substr(0, i))) << i;
  }
  EXPECT_FALSE(open_aes_gcm(counting(16), counting(12), kPlace, sealed));
  EXPECT_FALSE(open_aes_gcm(counting(32), std::string(12, 'x'), kPlace, sealed));
  EXPECT_FALSE(open_aes_gcm(counting(32), counting(12), "/registry/secrets/default/b", sealed));
}

TEST(AesGcm, TextsMayBeEmpty) {
  std::string sealed;
  seal_aes_gcm(counting(32), counting(12), "", "", sealed);
  EXPECT_EQ(sealed.size(), kGcmTagSize);
  EXPECT_EQ(open_aes_gcm(counting(32), counting(12), "", sealed), "");
}

TEST(AesGcm, ASealerMakesTheSame) {
  AesGcmSealer sealer(counting(32));
  for (const std::string& nonce : {counting(12), std::string(12, 'x'), counting(12)}) {
    std::string expected;
    seal_aes_gcm(counting(32), nonce, kPlace, kPlain, expected);
    std::string made = "before ";
    sealer.seal(nonce, kPlace, kPlain, made);
    EXPECT_EQ(made, "before " + expected);
  }
}

TEST(AesGcm, ASealerServesManyThreads) {
  AesGcmSealer sealer(counting(32));
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&sealer, i] {
      const std::string nonce(12, static_cast<char>('a' + i));
      for (int round = 0; round < 200; ++round) {
        std::string sealed;
        sealer.seal(nonce, kPlace, kPlain, sealed);
        EXPECT_EQ(open_aes_gcm(counting(32), nonce, kPlace, sealed), kPlain);
      }
    });
  }
}

TEST(AesCbc, IsWhatOtherLibrariesMake) {
  const std::string padded = std::string(kPlain) + std::string(15, '\x0f');
  std::string made;
  encrypt_aes_cbc(counting(32), counting(16), padded, made);
  EXPECT_EQ(to_hex(made), "1e99f42a87db9ef8ab2a289efc82058d9b6df3c3b806157e27663d659124bb7a");
  EXPECT_EQ(decrypt_aes_cbc(counting(32), counting(16), made), padded);
  EXPECT_EQ(decrypt_aes_cbc(counting(32), counting(16), ""), "");
}

TEST(Aes, HasThreeKeySizes) {
  for (size_t size = 0; size < 64; ++size) {
    EXPECT_EQ(is_aes_key_size(size), size == 16 || size == 24 || size == 32);
  }
}

}  // namespace aes_test
}  // namespace proa::crypto

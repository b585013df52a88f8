#include "encryption/providers/keyed_provider.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace proa::encryption {
namespace keyed_provider_test {

using Kind = ProviderConfiguration::Kind;

constexpr std::string_view kPlain = R"({"kind":"Secret"})";
constexpr std::string_view kPlace = "/registry/secrets/default/a";

std::string counting(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i));
  return bytes;
}

// Nonces that count, so that results can be compared with those of others.
class CountingRandom final : public Random {
 public:
  void fill(std::span<unsigned char> out) override {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(i);
  }
};

ProviderConfiguration keys(Kind kind, std::vector<NamedKey> named) {
  return {.kind = kind, .keys = std::move(named)};
}

std::string encrypted(const Provider& provider, std::string_view plain = kPlain) {
  std::string out;
  EXPECT_TRUE(provider.encrypt(kPlace, plain, out).ok());
  return out;
}

// Made by other implementations of the same ciphers, with the same key and nonce.
TEST(KeyedProvider, ValuesAreThoseOfUpstream) {
  CountingRandom random;
  const struct {
    Kind kind;
    const char* prefix;
    std::string data;
  } cases[] = {
      {Kind::kAesGcm, "k8s:enc:aesgcm:v1:",
       to_hex(counting(12)) + "3c20bd72ab81e021af12f2e8c38c0c4ffe1088c8292577bb0a7c5fec9690e03563"},
      {Kind::kAesCbc, "k8s:enc:aescbc:v1:",
       to_hex(counting(16)) + "1e99f42a87db9ef8ab2a289efc82058d9b6df3c3b806157e27663d659124bb7a"},
      {Kind::kSecretbox, "k8s:enc:secretbox:v1:",
       to_hex(counting(24)) + "04ea051d45311f98b1b8fa426fca41d025dd5326a9ae802a996fea5d1aea3eb52f"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.prefix);
    const KeyedProvider provider(keys(c.kind, {{"k1", counting(32)}}), random);
    EXPECT_EQ(provider.prefix(), c.prefix);
    const std::string made = encrypted(provider);
    EXPECT_EQ(made, "k1:" + *from_hex(c.data));
    const auto plain = provider.decrypt(kPlace, made);
    ASSERT_TRUE(plain.ok()) << plain.status().message();
    EXPECT_EQ(*plain, kPlain);
  }
}

TEST(KeyedProvider, KeysRotate) {
  SystemRandom random;
  for (const Kind kind : {Kind::kAesGcm, Kind::kAesCbc, Kind::kSecretbox}) {
    const KeyedProvider old(keys(kind, {{"k1", std::string(32, 'a')}}), random);
    const KeyedProvider both(
        keys(kind, {{"k2", std::string(32, 'b')}, {"k1", std::string(32, 'a')}}), random);
    const std::string by_old = encrypted(old);
    EXPECT_EQ(*both.decrypt(kPlace, by_old), kPlain);
    EXPECT_TRUE(both.is_stale(kPlace, by_old));
    EXPECT_FALSE(old.is_stale(kPlace, by_old));
    const std::string by_both = encrypted(both);
    EXPECT_FALSE(both.is_stale(kPlace, by_both));
    EXPECT_TRUE(old.decrypt(kPlace, by_both).is(Reason::kForbidden));
  }
}

TEST(KeyedProvider, KeysOfOneNameAreTriedInTurn) {
  SystemRandom random;
  const KeyedProvider old(keys(Kind::kAesGcm, {{"k", std::string(32, 'a')}}), random);
  const KeyedProvider both(
      keys(Kind::kAesGcm, {{"k", std::string(32, 'b')}, {"k", std::string(32, 'a')}}), random);
  const std::string by_old = encrypted(old);
  EXPECT_EQ(*both.decrypt(kPlace, by_old), kPlain);
  EXPECT_TRUE(both.is_stale(kPlace, by_old)) << "the name is the same, the key is not";
  EXPECT_FALSE(both.is_stale(kPlace, encrypted(both)));
}

TEST(KeyedProvider, FailuresAreUpstreams) {
  SystemRandom random;
  const KeyedProvider gcm(keys(Kind::kAesGcm, {{"k", std::string(32, 'a')}}), random);
  const KeyedProvider cbc(keys(Kind::kAesCbc, {{"k", std::string(32, 'a')}}), random);
  const KeyedProvider box(keys(Kind::kSecretbox, {{"k", std::string(32, 'a')}}), random);
  const struct {
    const Provider& provider;
    std::string data;
    const char* message;
  } cases[] = {
      {gcm, "other:x", "no matching key was found for the provided AES transformer"},
      {box, "other:x", "no matching key was found for the provided Secretbox transformer"},
      {gcm, "k:short", "the stored data was shorter than the required size"},
      {gcm, "k:" + std::string(40, 'x'), "cipher: message authentication failed"},
      {cbc, "k:short", "the stored data was shorter than the required size"},
      {cbc, "k:" + std::string(16, 'x'), "invalid PKCS7 data (empty or not padded)"},
      {cbc, "k:" + std::string(30, 'x'), "the stored data is not a multiple of the block size"},
      {box, "k:" + std::string(39, 'x'), "the stored data was shorter than the required size"},
      {box, "k:" + std::string(50, 'x'), "output array was not large enough for encryption"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.message);
    const auto plain = c.provider.decrypt(kPlace, c.data);
    ASSERT_TRUE(plain.is(Reason::kForbidden));
    EXPECT_EQ(plain.status().message(), c.message);
  }
  EXPECT_FALSE(gcm.decrypt("/registry/secrets/default/b", encrypted(gcm)).ok())
      << "a value cannot be moved to another object";
}

TEST(KeyedProvider, EveryCutIsRefusedOrNoticed) {
  SystemRandom random;
  for (const Kind kind : {Kind::kAesGcm, Kind::kAesCbc, Kind::kSecretbox}) {
    const KeyedProvider provider(keys(kind, {{"k", std::string(32, 'a')}}), random);
    const std::string whole = encrypted(provider, std::string(100, 'p'));
    for (size_t size = 0; size < whole.size(); ++size) {
      const auto plain = provider.decrypt(kPlace, whole.substr(0, size));
      EXPECT_TRUE(!plain.ok() || *plain != std::string(100, 'p')) << size;
    }
  }
}

}  // namespace keyed_provider_test
}  // namespace proa::encryption

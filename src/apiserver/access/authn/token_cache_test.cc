#include "apiserver/access/authn/token_cache.h"

#include <gtest/gtest.h>

#include <thread>

#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using std::chrono::seconds;

TokenAnswerPtr answer(const std::string& name) {
  auto user = std::make_shared<User>();
  user->name = name;
  return std::make_shared<TokenAnswer>(TokenAnswer{{.user = user, .audiences = {}}, nullptr});
}

class TokenCacheTest : public testing::Test {
 protected:
  static std::string name_in(const TokenCache& cache, const TokenCache::Key& key) {
    const TokenAnswerPtr found = cache.find(key);
    return found == nullptr ? "" : found->identity.user->name;
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
};

TEST_F(TokenCacheTest, RemembersForTenSeconds) {
  TokenCache cache(random_, clock_);
  const auto key = cache.key_of("a", {});
  EXPECT_EQ(cache.find(key), nullptr);
  cache.remember(key, answer("u"));
  clock_.advance(seconds(9));
  EXPECT_EQ(name_in(cache, key), "u");
  clock_.advance(seconds(1));
  EXPECT_EQ(cache.find(key), nullptr);
  cache.remember(key, answer("v"));
  EXPECT_EQ(name_in(cache, key), "v");
  cache.forget(key);
  EXPECT_EQ(cache.find(key), nullptr);
}

TEST_F(TokenCacheTest, KeepsTheNewestOfOneToken) {
  TokenCache cache(random_, clock_);
  const auto key = cache.key_of("a", {});
  cache.remember(key, answer("u"));
  clock_.advance(seconds(6));
  cache.remember(key, answer("v"));
  clock_.advance(seconds(6));
  // Expiry of the first entry does not remove the second.
  cache.remember(cache.key_of("b", {}), answer("w"));
  EXPECT_EQ(name_in(cache, key), "v");
}

TEST_F(TokenCacheTest, TellsTokensAndAudiencesApart) {
  TokenCache cache(random_, clock_);
  using Audiences = std::vector<std::string>;
  const std::pair<std::string, Audiences> questions[] = {
      {"a", {}},
      {"", {"a"}},
      {"a", {"b"}},
      {"a", {"b", ""}},
      {"a", {"", "b"}},
      {"a", {"b", "c"}},
      {"a", {"bc"}},
      {"ab", {}},
      {"ab", {"c"}},
      {"b", {}},
      {"", {}},
      {"a", {"c", "b"}},
      {std::string(5000, 'a'), {}},
  };
  std::vector<TokenCache::Key> keys;
  for (const auto& [token, audiences] : questions) {
    const auto key = cache.key_of(token, audiences);
    EXPECT_EQ(key, cache.key_of(token, audiences));
    for (const auto& other : keys) EXPECT_FALSE(key == other) << token;
    keys.push_back(key);
  }
}

TEST_F(TokenCacheTest, HashesDifferentlyInEveryProcess) {
  const TokenCache one(random_, clock_);
  const TokenCache other(random_, clock_);
  EXPECT_FALSE(one.key_of("a", {}) == other.key_of("a", {}));
}

TEST_F(TokenCacheTest, IsBounded) {
  constexpr size_t kCapacity = 64;
  TokenCache cache(random_, clock_, kCapacity);
  std::vector<TokenCache::Key> keys;
  for (int i = 0; i < 10'000; ++i) {
    keys.push_back(cache.key_of(std::to_string(i), {}));
    cache.remember(keys.back(), answer("u"));
    EXPECT_NE(cache.find(keys.back()), nullptr);
  }
  size_t kept = 0;
  for (const auto& key : keys) kept += cache.find(key) == nullptr ? 0 : 1;
  EXPECT_LE(kept, kCapacity);
  EXPECT_GT(kept, 0u);
}

TEST_F(TokenCacheTest, IsForManyThreads) {
  TokenCache cache(random_, clock_, 256);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2'000; ++i) {
        const std::string token = std::to_string((i * 7 + t) % 500);
        const auto key = cache.key_of(token, {});
        const TokenAnswerPtr found = cache.find(key);
        if (found != nullptr) {
          EXPECT_EQ(found->identity.user->name, token);
        }
        cache.remember(key, answer(token));
        if (i % 10 == 0) cache.forget(key);
      }
    });
  }
}

}  // namespace
}  // namespace proa::apiserver

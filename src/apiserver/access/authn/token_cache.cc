#include "apiserver/access/authn/token_cache.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <cstring>

#include "base/check.h"
#include "http/net/openssl.h"

namespace proa::apiserver {
namespace token_cache {

using http::openssl::Freed;
using MacPointer = std::unique_ptr<EVP_MAC, Freed<EVP_MAC_free>>;
using ContextPointer = std::unique_ptr<EVP_MAC_CTX, Freed<EVP_MAC_CTX_free>>;

constexpr Duration kRemembered = std::chrono::seconds(10);

// SipHash with 128 bits: nobody without the key finds two tokens of one hash, and a kilobyte takes
// less than a microsecond, which SHA-256 does not achieve on every machine.
EVP_MAC_CTX* make_keyed_hash(Random& random) {
  unsigned char key[16];
  random.fill(key);
  const MacPointer mac(EVP_MAC_fetch(nullptr, "SIPHASH", nullptr));
  CHECK(mac != nullptr);
  ContextPointer context(EVP_MAC_CTX_new(mac.get()));
  size_t size = sizeof(TokenCache::Key);
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                   OSSL_PARAM_construct_end()};
  CHECK(context != nullptr && EVP_MAC_init(context.get(), key, sizeof key, parameters) == 1);
  return context.release();
}

// With their length in front, so that no two sequences of texts read the same.
void add(EVP_MAC_CTX* hash, std::string_view text) {
  const uint64_t size = text.size();
  CHECK(EVP_MAC_update(hash, reinterpret_cast<const unsigned char*>(&size), sizeof size) == 1);
  CHECK(EVP_MAC_update(hash, reinterpret_cast<const unsigned char*>(text.data()), text.size()) ==
        1);
}

}  // namespace token_cache

TokenCache::TokenCache(Random& random, const Clock& clock, size_t capacity)
    : clock_(clock),
      capacity_(std::max<size_t>(capacity / kShards, 1)),
      keyed_hash_(token_cache::make_keyed_hash(random), EVP_MAC_CTX_free) {}
TokenCache::~TokenCache() = default;

TokenCache::Key TokenCache::key_of(std::string_view token,
                                   std::span<const std::string> audiences) const {
  const token_cache::ContextPointer hash(EVP_MAC_CTX_dup(keyed_hash_.get()));
  CHECK(hash != nullptr);
  token_cache::add(hash.get(), token);
  for (const std::string& audience : audiences) token_cache::add(hash.get(), audience);
  unsigned char out[sizeof(Key)];
  size_t size = 0;
  CHECK(EVP_MAC_final(hash.get(), out, &size, sizeof out) == 1 && size == sizeof out);
  Key key;
  std::memcpy(&key.high, out, sizeof key.high);
  std::memcpy(&key.low, out + sizeof key.high, sizeof key.low);
  return key;
}

TokenAnswerPtr TokenCache::find(const Key& key) const {
  const Steady now = clock_.steady();
  const Shard& shard = shard_of(key);
  MutexLock lock(shard.mutex);
  const auto found = shard.slots.find(key);
  if (found == shard.slots.end() || found->second.until <= now) return nullptr;
  return found->second.answer;
}

void TokenCache::remember(const Key& key, TokenAnswerPtr answer) {
  const Steady now = clock_.steady();
  Shard& shard = shard_of(key);
  MutexLock lock(shard.mutex);
  drop_oldest(shard, now);
  const Steady until = now + token_cache::kRemembered;
  shard.slots[key] = {std::move(answer), until};
  shard.ends.emplace_back(key, until);
}

void TokenCache::forget(const Key& key) {
  Shard& shard = shard_of(key);
  MutexLock lock(shard.mutex);
  shard.slots.erase(key);
}

void TokenCache::drop_oldest(Shard& shard, Steady now) {
  while (!shard.ends.empty() &&
         (shard.ends.front().second <= now || shard.ends.size() >= capacity_)) {
    const auto [key, until] = shard.ends.front();
    shard.ends.pop_front();
    const auto found = shard.slots.find(key);
    // It may have been remembered anew since.
    if (found != shard.slots.end() && found->second.until == until) shard.slots.erase(found);
  }
}

}  // namespace proa::apiserver

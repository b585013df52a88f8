#include "apiserver/access/authn/token_cache.h"

#include <cstring>

namespace proa::apiserver {
namespace token_cache {

constexpr Duration kRemembered = std::chrono::seconds(10);

std::array<unsigned char, crypto::SipHash::kKeySize> make_key(Random& random) {
  std::array<unsigned char, crypto::SipHash::kKeySize> key{};
  random.fill(key);
  return key;
}

}  // namespace token_cache

TokenCache::TokenCache(Random& random, const Clock& clock, size_t capacity)
    : clock_(clock),
      capacity_(std::max<size_t>(capacity / kShards, 1)),
      keyed_hash_(token_cache::make_key(random)) {}

TokenCache::Key TokenCache::key_of(std::string_view token,
                                   std::span<const std::string> audiences) const {
  crypto::SipHash hash = keyed_hash_;
  hash.add(token);
  for (const std::string& audience : audiences) hash.add(audience);
  const crypto::SipDigest digest = hash.finish();
  Key key;
  static_assert(sizeof key == sizeof digest.bytes);
  std::memcpy(&key, digest.bytes.data(), sizeof key);
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

TokenCache::Use TokenCache::use(const Key& key) {
  const Steady now = clock_.steady();
  Shard& shard = shard_of(key);
  MutexLock lock(shard.mutex);
  const auto found = shard.slots.find(key);
  if (found == shard.slots.end() || found->second.until <= now) return {};
  return {found->second.answer, std::exchange(found->second.prepared, false)};
}

void TokenCache::insert(const Key& key, TokenAnswerPtr answer, bool prepared) {
  const Steady now = clock_.steady();
  Shard& shard = shard_of(key);
  MutexLock lock(shard.mutex);
  drop_oldest(shard, now);
  const Steady until = now + token_cache::kRemembered;
  shard.slots[key] = {std::move(answer), until, prepared};
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
    // It may have been inserted again since.
    if (found != shard.slots.end() && found->second.until == until) shard.slots.erase(found);
  }
}

}  // namespace proa::apiserver

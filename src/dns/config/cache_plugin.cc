#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"

namespace proa::dns {
namespace cache_plugin {

using std::chrono::seconds;

// CoreDNS counts entries; an answer with its name takes about this much.
constexpr size_t kBytesPerEntry = 400;
constexpr size_t kFewestBytes = size_t{1} << 20;
constexpr size_t kMostBytes = size_t{64} << 20;

// Of CoreDNS, where the line gives none.
constexpr Duration kMaxTtl = seconds(3600);
constexpr Duration kMaxNegativeTtl = seconds(1800);

std::optional<Duration> ttl(const PluginContext& context, const CorefileLine& line,
                            std::string_view word) {
  const auto found = parse_seconds(word);
  if (found) return std::min(*found, kLongestTtl);
  context.error(line, fmt::format("\"{}\" is not a TTL", word));
  return std::nullopt;
}

// "success CAPACITY [TTL] [MINTTL]"
void read_part(const PluginContext& context, const CorefileLine& option, Duration& most,
               Duration& least) {
  CacheSettings& cache = context.settings.cache;
  const auto& words = option.words;
  const auto capacity = words.size() >= 2 ? parse_uint(words[1]) : std::nullopt;
  if (!capacity || words.size() > 4) {
    context.error(option, fmt::format("{} needs a capacity, and may have two TTLs", words[0]));
    return;
  }
  const size_t bytes = std::min<uint64_t>(*capacity, kMostBytes) * kBytesPerEntry;
  cache.bytes = std::clamp(std::max(cache.bytes, bytes), kFewestBytes, kMostBytes);
  if (words.size() > 2) most = ttl(context, option, words[2]).value_or(most);
  if (words.size() > 3) least = ttl(context, option, words[3]).value_or(least);
}

void read_success(const PluginContext& context, const CorefileLine& option) {
  CacheSettings& cache = context.settings.cache;
  read_part(context, option, cache.max_ttl, cache.min_ttl);
}

void read_denial(const PluginContext& context, const CorefileLine& option) {
  CacheSettings& cache = context.settings.cache;
  read_part(context, option, cache.max_negative_ttl, cache.min_negative_ttl);
}

void read_prefetch(const PluginContext& context, const CorefileLine& option) {
  CacheSettings& cache = context.settings.cache;
  const auto& words = option.words;
  const auto amount = words.size() >= 2 ? parse_uint(words[1]) : std::nullopt;
  if (!amount || *amount > 1'000'000) {
    context.error(option, "prefetch needs a number of queries");
    return;
  }
  cache.prefetch_amount = static_cast<unsigned>(*amount);
  if (words.size() > 2) {
    const auto period = parse_seconds(words[2]);
    if (!period) context.error(option, fmt::format("\"{}\" is not a duration", words[2]));
    cache.prefetch_period = period.value_or(cache.prefetch_period);
  }
  if (words.size() > 3) {
    std::string_view text = words[3];
    if (text.ends_with('%')) text.remove_suffix(1);
    const auto percentage = parse_uint(text);
    if (!percentage || *percentage < 10 || *percentage > 90) {
      context.error(option, "the percentage of prefetch must be between 10% and 90%");
      return;
    }
    cache.prefetch_percentage = static_cast<unsigned>(*percentage);
  }
}

void read_stale(const PluginContext& context, const CorefileLine& option) {
  const auto& words = option.words;
  const auto period = words.size() >= 2 ? parse_seconds(words[1]) : std::chrono::hours(1);
  if (!period) {
    context.error(option, fmt::format("\"{}\" is not a duration", words[1]));
    return;
  }
  context.settings.cache.serve_stale = std::min(*period, kLongestTtl);
  if (words.size() < 3) return;
  const std::string mode = to_lower(words[2]);
  if (mode != "immediate" && mode != "verify") {
    context.error(option, "the mode of serve_stale must be immediate or verify");
  } else if (mode == "immediate") {
    context.warn(option, "stale answers are used only when upstreams fail, as with verify");
  }
}

void read_servfail(const PluginContext& context, const CorefileLine& option) {
  const auto period = option.words.size() == 2 ? parse_seconds(option.words[1]) : std::nullopt;
  if (!period || *period > std::chrono::minutes(5)) {
    context.error(option, "servfail needs a duration of at most 5m");
    return;
  }
  context.settings.cache.failure_ttl = *period;
}

// Names of the cluster are never in this cache, so that kubeadm's lines say nothing new.
void read_disable(const PluginContext& context, const CorefileLine& option) {
  const auto& words = option.words;
  if (words.size() < 2 || (words[1] != "success" && words[1] != "denial")) {
    context.error(option, "disable needs success or denial");
    return;
  }
  CacheSettings& cache = context.settings.cache;
  if (words.size() == 2) (words[1] == "success" ? cache.max_ttl : cache.max_negative_ttl) = {};
  for (const std::string& word : std::span(words).subspan(2)) {
    const auto zone = parse_zone(word);
    const auto& zones = context.settings.cluster.zones;
    if (zone && std::find(zones.begin(), zones.end(), *zone) != zones.end()) continue;
    context.warn(option, fmt::format("names of {} stay cached", word));
  }
}

constexpr PluginOption kOptions[] = {
    {"success", read_success},       {"denial", read_denial},
    {"prefetch", read_prefetch},     {"serve_stale", read_stale},
    {"servfail", read_servfail},     {"disable", read_disable},
    {"keepttl", unsupported_option}, {"serve_stale_policy", unsupported_option},
};

// "cache [TTL] [ZONES...]"
void read_arguments(const PluginContext& context) {
  CacheSettings& cache = context.settings.cache;
  auto zones = context.arguments();
  const auto most = zones.empty() ? std::nullopt : parse_seconds(zones[0]);
  if (most || (!zones.empty() && parse_int(zones[0]))) {
    if (!most || *most == Duration(0)) context.error(context.line, "the TTL must be positive");
    cache.max_ttl = cache.max_negative_ttl = std::min(most.value_or(kMaxTtl), kLongestTtl);
    zones = zones.subspan(1);
  }
  for (const std::string& word : zones) {
    const auto zone = parse_zone(word);
    if (!zone) {
      context.error(context.line, fmt::format("\"{}\" is neither a TTL nor a zone", word));
    } else if (*zone != context.zone) {
      context.warn(context.line, fmt::format("not only the names of {} are cached", word));
    }
  }
}

}  // namespace cache_plugin

void read_cache_plugin(const PluginContext& context) {
  if (context.zone != ".") {
    // There is one cache, that of the root: here only mistakes are looked for.
    Settings unused{.cluster = context.settings.cluster};
    return read_cache_plugin({".", context.line, unused, context.problems, context.zones});
  }
  CacheSettings& cache = context.settings.cache;
  cache.enabled = true;
  cache.max_ttl = cache_plugin::kMaxTtl;
  cache.max_negative_ttl = cache_plugin::kMaxNegativeTtl;
  cache_plugin::read_arguments(context);
  read_options(context, cache_plugin::kOptions);
}

}  // namespace proa::dns

#include "dns/config/config_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "base/text/words.h"
#include "dns/config/corefile_settings.h"
#include "dns/config/hosts_text.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"
#include "json/yaml.h"

namespace proa::dns {
namespace config_map {

constexpr size_t kMaxUpstreams = 15;
constexpr size_t kMaxStubDomains = 1'000;
constexpr size_t kFewestBytes = size_t{64} << 10;
constexpr size_t kMostBytes = size_t{1} << 30;

struct Target {
  Settings& settings;
  Problems& problems;

  void error(std::string_view key, std::string_view what) const {
    problems.errors.push_back(fmt::format("{}: {}", key, what));
  }
};

void add_upstream(std::string_view key, std::string_view text, ForwardZone& zone,
                  const Target& target) {
  const Result<Upstream> upstream = parse_upstream(text);
  if (!upstream.ok()) {
    target.error(key, upstream.status().message());
  } else if (zone.upstreams.size() == kMaxUpstreams) {
    target.error(key, fmt::format("more than {} upstreams", kMaxUpstreams));
  } else {
    zone.upstreams.push_back(*upstream);
  }
}

// In the place of what is there for that zone.
void set_zone(ForwardZone zone, Settings& settings) {
  for (ForwardZone& known : settings.forwards) {
    if (known.zone != zone.zone) continue;
    known.of_host = zone.of_host;
    known.upstreams = std::move(zone.upstreams);
    return;
  }
  settings.forwards.push_back(std::move(zone));
}

void read_upstreams(std::string_view key, const std::string& text, const Target& target) {
  ForwardZone zone;
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  const std::vector<std::string_view> servers = words(spaced);
  if (servers.empty()) {
    target.error(key, "at least one address is required, or \"host\"");
    return;
  }
  for (const std::string_view server : servers) {
    if (server == "host") {
      zone.of_host = true;
    } else {
      add_upstream(key, server, zone, target);
    }
  }
  set_zone(std::move(zone), target.settings);
}

// Nullopt, and an error, if it is not a mapping. An empty text is an empty mapping.
std::optional<json::Document> mapping(std::string_view key, std::string_view text,
                                      const Target& target) {
  Result<json::Document> document = json::parse_yaml(text);
  if (!document.ok()) {
    target.error(key, document.status().message());
    return std::nullopt;
  }
  if (!document->root().is(json::Kind::kObject) && !document->root().is_null()) {
    target.error(key, "must be a YAML mapping");
    return std::nullopt;
  }
  return std::move(*document);
}

void read_stub_domains(std::string_view key, const std::string& text, const Target& target) {
  const auto document = mapping(key, text, target);
  if (!document) return;
  if (document->root().size() > kMaxStubDomains) {
    target.error(key, fmt::format("more than {} zones", kMaxStubDomains));
    return;
  }
  for (const json::Member& member : document->root().members()) {
    const auto name = parse_zone(member.key);
    if (!name || *name == ".") {
      target.error(key, fmt::format("\"{}\" is not a domain name", member.key));
      continue;
    }
    ForwardZone zone{.zone = *name};
    const json::Value& value = member.value;
    if (value.is(json::Kind::kString)) {
      for (const std::string_view word : words(value.as_string())) {
        add_upstream(key, word, zone, target);
      }
    }
    for (const json::Value& item : value.items()) {
      if (item.is(json::Kind::kString)) {
        add_upstream(key, item.as_string(), zone, target);
      } else {
        target.error(key, fmt::format("addresses of {} must be text", *name));
      }
    }
    if (zone.upstreams.empty()) {
      target.error(key, fmt::format("{} has no upstreams", *name));
      continue;
    }
    set_zone(std::move(zone), target.settings);
  }
}

void read_hosts(std::string_view key, const std::string& text, const Target& target) {
  target.settings.hosts.entries.clear();
  read_hosts_text(text, key, target.settings.hosts.entries, target.problems);
}

void read_rewrites(std::string_view key, const std::string& text, const Target& target) {
  target.settings.rewrites.clear();
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    CorefileLine rule{.number = number, .words = {"rewrite"}};
    for (const std::string_view word : words(line.substr(0, line.find('#')))) {
      rule.words.emplace_back(word);
    }
    if (rule.words.size() == 1) continue;
    Problems found;
    read_rewrite_plugin({".", rule, target.settings, found, {}});
    // What a Corefile may have but is not supported is a mistake in a format of our own.
    found.errors.insert(found.errors.end(), found.warnings.begin(), found.warnings.end());
    for (const std::string& error : found.errors) {
      target.error(key, error.substr(std::string_view("Corefile ").size()));
    }
  }
}

std::string text_of(const json::Value& value) {
  if (value.is(json::Kind::kString)) return std::string(value.as_string());
  if (value.is(json::Kind::kInt)) return fmt::format("{}", value.as_int());
  if (value.is(json::Kind::kBool)) return value.as_bool() ? "true" : "false";
  return {};
}

// "4Mi", "65536"
std::optional<size_t> parse_bytes(std::string_view text) {
  size_t unit = 1;
  if (text.ends_with("Ki")) unit = size_t{1} << 10;
  if (text.ends_with("Mi")) unit = size_t{1} << 20;
  if (unit != 1) text.remove_suffix(2);
  const auto number = parse_uint(text);
  if (!number || *number > kMostBytes / unit || *number * unit < kFewestBytes) return std::nullopt;
  return *number * unit;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

void set_ttl(Duration& ttl, std::string_view name, std::string_view text, const Target& target) {
  const auto parsed = parse_seconds(text);
  if (!parsed || *parsed > kLongestTtl) {
    target.error("cache", fmt::format("{} must be a duration such as 30s, at most 24h", name));
    return;
  }
  ttl = *parsed;
}

void read_cache_field(std::string_view name, const std::string& text, const Target& target) {
  CacheSettings& cache = target.settings.cache;
  const struct {
    std::string_view name;
    Duration& ttl;
  } ttls[] = {{"maxTTL", cache.max_ttl},
              {"minTTL", cache.min_ttl},
              {"maxNegativeTTL", cache.max_negative_ttl},
              {"failureTTL", cache.failure_ttl},
              {"serveStale", cache.serve_stale}};
  for (const auto& one : ttls) {
    if (one.name == name) return set_ttl(one.ttl, name, text, target);
  }
  if (name == "enabled") {
    const auto flag = parse_flag(text);
    if (!flag) target.error("cache", "enabled must be true or false");
    cache.enabled = flag.value_or(cache.enabled);
  } else if (name == "size") {
    const auto bytes = parse_bytes(text);
    if (!bytes) target.error("cache", "size must be between 64Ki and 1024Mi");
    cache.bytes = bytes.value_or(cache.bytes);
  } else if (name == "prefetch") {
    const auto amount = parse_uint(text);
    if (!amount || *amount > 1'000'000) target.error("cache", "prefetch must be a number of hits");
    cache.prefetch_amount = static_cast<unsigned>(amount.value_or(0));
  } else {
    target.problems.warnings.push_back(fmt::format("cache: unknown field {}", name));
  }
}

void read_cache(std::string_view key, const std::string& text, const Target& target) {
  const auto document = mapping(key, text, target);
  if (!document) return;
  target.settings.cache.enabled = true;
  for (const json::Member& member : document->root().members()) {
    read_cache_field(member.key, text_of(member.value), target);
  }
  const CacheSettings& cache = target.settings.cache;
  if (cache.min_ttl > cache.max_ttl) target.error(key, "minTTL is greater than maxTTL");
}

void read_ttl(std::string_view key, const std::string& text, const Target& target) {
  const auto ttl = parse_uint(trim(text));
  if (!ttl || *ttl > 3600) {
    target.error(key, "must be a number of seconds between 0 and 3600");
    return;
  }
  target.settings.cluster.ttl = static_cast<uint32_t>(*ttl);
}

void read_pods(std::string_view key, const std::string& text, const Target& target) {
  const std::string_view mode = trim(text);
  if (mode == "disabled") {
    target.settings.cluster.pods = PodRecords::kDisabled;
  } else if (mode == "insecure") {
    target.settings.cluster.pods = PodRecords::kInsecure;
  } else if (mode == "verified") {
    target.settings.cluster.pods = PodRecords::kVerified;
  } else {
    target.error(key, "must be disabled, insecure or verified");
  }
}

void read_log_queries(std::string_view key, const std::string& text, const Target& target) {
  const auto flag = parse_flag(trim(text));
  if (!flag) target.error(key, "must be true or false");
  target.settings.log_queries = flag.value_or(false);
}

void read_whole_corefile(std::string_view, const std::string& text, const Target& target) {
  read_corefile(text, target.settings, target.problems);
}

struct Key {
  std::string_view name;
  void (*read)(std::string_view key, const std::string& text, const Target& target);
};

// In the order in which they are read: what comes later counts.
constexpr Key kKeys[] = {
    {"Corefile", read_whole_corefile},
    {"upstreams", read_upstreams},
    {"stubDomains", read_stub_domains},
    {"hosts", read_hosts},
    {"rewrites", read_rewrites},
    {"cache", read_cache},
    {"ttl", read_ttl},
    {"pods", read_pods},
    {"logQueries", read_log_queries},
};

std::string known_keys() {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  return join(names, ", ");
}

}  // namespace config_map

Settings read_config_map(const std::map<std::string, std::string, std::less<>>& data,
                         std::string_view domain, Problems& problems) {
  Settings settings;
  settings.cluster.zones.front() = parse_zone(domain).value_or(std::string(domain));
  for (const config_map::Key& key : config_map::kKeys) {
    const auto found = data.find(key.name);
    if (found != data.end()) key.read(key.name, found->second, {settings, problems});
  }
  for (const auto& [name, text] : data) {
    const bool known =
        std::any_of(std::begin(config_map::kKeys), std::end(config_map::kKeys),
                    [&name = name](const config_map::Key& key) { return key.name == name; });
    if (known) continue;
    problems.warnings.push_back(
        fmt::format("unknown key {}; the keys are {}", name, config_map::known_keys()));
  }
  return settings;
}

}  // namespace proa::dns

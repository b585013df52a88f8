// The plugins hosts and rewrite: names that a user gives.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dns/config/hosts_text.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"

namespace proa::dns {
namespace names_plugins {

void read_ttl(const PluginContext& context, const CorefileLine& option) {
  const auto ttl = option.words.size() == 2 ? parse_uint(option.words[1]) : std::nullopt;
  if (!ttl || *ttl == 0 || *ttl > 65535) {
    context.error(option, "ttl must be a number of seconds between 1 and 65535");
    return;
  }
  context.settings.hosts.ttl = static_cast<uint32_t>(*ttl);
}

// "hosts [FILE [ZONES...]]": that of the block, if there are none.
std::vector<std::string> hosts_zones(const PluginContext& context) {
  const auto arguments = context.arguments();
  if (arguments.size() < 2) return {std::string(context.zone)};
  std::vector<std::string> zones;
  for (const std::string& word : arguments.subspan(1)) {
    if (auto zone = parse_zone(word)) zones.push_back(std::move(*zone));
  }
  return zones;
}

// REQUIRES: the zones of this plugin were added last.
void read_fallthrough(const PluginContext& context, const CorefileLine& option) {
  std::vector<std::string> zones;
  for (const std::string& word : std::span(option.words).subspan(1)) {
    if (auto zone = parse_zone(word)) {
      zones.push_back(std::move(*zone));
    } else {
      context.error(option, fmt::format("\"{}\" is not a zone", word));
    }
  }
  if (option.words.size() == 1) zones = {"."};
  for (const std::string& zone : hosts_zones(context)) {
    const auto found = std::ranges::find(context.settings.hosts.zones, zone, &HostsZone::zone);
    if (found != context.settings.hosts.zones.end()) found->fallthrough = zones;
  }
}

void read_no_reverse(const PluginContext& context, const CorefileLine&) {
  context.settings.hosts.reverse = false;
}

constexpr PluginOption kHostsOptions[] = {
    {"ttl", read_ttl},
    {"fallthrough", read_fallthrough},
    {"no_reverse", read_no_reverse},
    {"reload", ignored_duration},
    {"fallthrough_unsupported", unsupported_option},
};

// Options begin with a letter, and so may IPv6 addresses.
bool is_address_line(const CorefileLine& line) {
  const std::string& word = line.words.front();
  return (word[0] >= '0' && word[0] <= '9') || word.find(':') != std::string::npos;
}

// Names outside of the zones are never asked of this plugin.
void add_entries(const PluginContext& context, const CorefileLine& line,
                 std::span<const std::string> zones, std::vector<HostEntry> entries) {
  for (HostEntry& entry : entries) {
    std::erase_if(entry.names, [&](const std::string& name) {
      const bool within = std::ranges::any_of(
          zones, [&](const std::string& zone) { return is_within(name, zone); });
      if (!within) context.warn(line, fmt::format("{} is not in the zone of the block", name));
      return !within;
    });
    if (!entry.names.empty()) context.settings.hosts.entries.push_back(std::move(entry));
  }
}

std::optional<RewriteRule::Match> match_of(std::string_view word) {
  if (word == "exact") return RewriteRule::Match::kExact;
  if (word == "prefix") return RewriteRule::Match::kPrefix;
  if (word == "suffix") return RewriteRule::Match::kSuffix;
  if (word == "substring") return RewriteRule::Match::kSubstring;
  return std::nullopt;
}

// Parts of a name: "foo.", ".example.org", "-test".
std::optional<std::string> name_part(std::string_view text) {
  std::string part = to_lower(text);
  const bool good =
      !part.empty() && part.size() < 254 && std::all_of(part.begin(), part.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
      });
  if (!good) return std::nullopt;
  return part;
}

std::optional<std::string> operand(RewriteRule::Match match, std::string_view text) {
  if (match == RewriteRule::Match::kExact) return parse_zone(text);
  auto part = name_part(text);
  // Names have no dot at the end here.
  if (part && match == RewriteRule::Match::kSuffix && part->ends_with('.')) part->pop_back();
  if (part && part->empty()) return std::nullopt;
  return part;
}

// The words of a rule; those of a block are one rule, too.
std::vector<std::string> rule_words(const PluginContext& context) {
  const auto arguments = context.arguments();
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (words.size() >= 2 && !context.line.options.empty()) {
    context.error(context.line, "a rule has either words or a block");
  }
  for (const CorefileLine& option : context.line.options) {
    words.insert(words.end(), option.words.begin(), option.words.end());
  }
  return words;
}

struct Parts {
  bool last = true;
  std::string type = {};  // "name"; empty: there is none
  std::span<const std::string> rest = {};
};

// "[continue|stop] TYPE ..."
Parts parts_of(std::span<const std::string> words) {
  Parts parts;
  if (words.empty()) return parts;
  parts.type = to_lower(words[0]);
  if (parts.type == "stop" || parts.type == "continue") {
    parts.last = parts.type == "stop";
    words = words.subspan(1);
    parts.type = words.empty() ? std::string() : to_lower(words[0]);
  }
  if (!words.empty()) parts.rest = words.subspan(1);
  return parts;
}

void not_of_names(const PluginContext& context, std::string_view type) {
  constexpr std::string_view kOthers[] = {"class", "type", "edns0", "ttl", "cname", "rcode"};
  if (std::ranges::find(kOthers, type) != std::end(kOthers)) {
    context.warn(context.line, "only rules of the form \"name MATCH FROM TO\" are supported");
  } else {
    context.error(context.line, fmt::format("\"{}\" is no type of a rule", type));
  }
}

// "answer auto", "answer name FROM TO". Whether it is the first one.
bool read_answer(const PluginContext& context, std::span<const std::string> words) {
  if (words.empty()) return false;
  if (words[0] != "answer" || words.size() < 2) {
    context.error(context.line,
                  fmt::format("\"{}\" behind FROM and TO is not a rule of answers", words[0]));
  } else if (words.size() > 2 || words[1] != "auto") {
    context.warn(context.line,
                 "rules of answers are ignored: answers have the name of the question");
  }
  return words.size() == 2 && words[1] == "auto";
}

}  // namespace names_plugins

void read_hosts_plugin(const PluginContext& context) {
  HostsSettings& hosts = context.settings.hosts;
  const std::vector<std::string> zones = names_plugins::hosts_zones(context);
  if (context.arguments().size() > 1 && zones.size() + 1 < context.arguments().size()) {
    context.error(context.line, "what follows the file must be zones");
  }
  for (const std::string& zone : zones) {
    std::erase_if(hosts.zones, [&](const HostsZone& known) { return known.zone == zone; });
    hosts.zones.push_back({.zone = zone});
  }
  if (!context.arguments().empty() && context.arguments()[0] != "/etc/hosts") {
    context.warn(context.line,
                 fmt::format("the file {} is not read; write its lines into the block",
                             context.arguments()[0]));
  }
  CorefileLine others = context.line;
  std::erase_if(others.options, names_plugins::is_address_line);
  for (const CorefileLine& option : context.line.options) {
    if (!names_plugins::is_address_line(option)) continue;
    const std::vector<std::string_view> line(option.words.begin(), option.words.end());
    std::vector<HostEntry> entries;
    read_host_line(line, fmt::format("Corefile line {}: hosts", option.number), entries,
                   context.problems);
    names_plugins::add_entries(context, option, zones, std::move(entries));
  }
  read_options({context.zone, others, context.settings, context.problems, context.zones},
               names_plugins::kHostsOptions);
}

void read_rewrite_plugin(const PluginContext& context) {
  using names_plugins::Parts;
  const std::vector<std::string> rule = names_plugins::rule_words(context);
  Parts parts = names_plugins::parts_of(rule);
  if (parts.type != "name") return names_plugins::not_of_names(context, parts.type);
  std::span<const std::string> words = parts.rest;
  if (words.size() < 2) {
    context.error(context.line, "FROM and TO are required");
    return;
  }
  RewriteRule made{.last = parts.last};
  if (words.size() > 2) {
    if (words[0] == "regex") {
      context.warn(context.line, "regular expressions are not supported; use suffix or prefix");
      return;
    }
    const auto match = names_plugins::match_of(words[0]);
    if (!match) {
      context.error(context.line, fmt::format("\"{}\" is not exact, prefix, suffix, substring or "
                                              "regex",
                                              words[0]));
      return;
    }
    made.match = *match;
    words = words.subspan(1);
  }
  const auto from = names_plugins::operand(made.match, words[0]);
  const auto to = names_plugins::operand(made.match, words[1]);
  if (!from || !to) {
    context.error(context.line,
                  fmt::format("\"{}\" is not a domain name", from ? words[1] : words[0]));
    return;
  }
  made.answer = names_plugins::read_answer(context, words.subspan(2));
  made.from = *from;
  made.to = *to;
  context.settings.rewrites.push_back(std::move(made));
}

}  // namespace proa::dns

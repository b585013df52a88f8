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

void read_fallthrough(const PluginContext& context, const CorefileLine&) {
  context.settings.hosts.fallthrough = true;
}

void read_no_reverse(const PluginContext& context, const CorefileLine&) {
  context.settings.hosts.reverse = false;
}

constexpr PluginOption kHostsOptions[] = {
    {"ttl", read_ttl},
    {"fallthrough", read_fallthrough},
    {"no_reverse", read_no_reverse},
    {"reload", nullptr},
};

bool is_address_line(const CorefileLine& line) { return parse_ip(line.words.front()).has_value(); }

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

}  // namespace names_plugins

void read_hosts_plugin(const PluginContext& context) {
  HostsSettings& hosts = context.settings.hosts;
  if (context.zone == ".") hosts.fallthrough = false;
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
    read_host_line(line, fmt::format("Corefile line {}: hosts", option.number), hosts.entries,
                   context.problems);
  }
  read_options({context.zone, others, context.settings, context.problems},
               names_plugins::kHostsOptions);
}

void read_rewrite_plugin(const PluginContext& context) {
  std::span<const std::string> words = context.arguments();
  RewriteRule rule;
  if (!words.empty() && (words[0] == "stop" || words[0] == "continue")) {
    rule.last = words[0] == "stop";
    words = words.subspan(1);
  }
  if (!context.line.options.empty() || words.size() < 3 || words[0] != "name") {
    context.warn(context.line, "only rules of the form \"name MATCH FROM TO\" are supported");
    return;
  }
  words = words.subspan(1);
  if (words[0] == "regex") {
    context.warn(context.line, "regular expressions are not supported; use suffix or prefix");
    return;
  }
  if (const auto match = names_plugins::match_of(words[0])) {
    rule.match = *match;
    words = words.subspan(1);
  }
  if (words.size() < 2) {
    context.error(context.line, "FROM and TO are required");
    return;
  }
  const auto from = names_plugins::operand(rule.match, words[0]);
  const auto to = names_plugins::operand(rule.match, words[1]);
  if (!from || !to) {
    context.error(context.line,
                  fmt::format("\"{}\" is not a domain name", from ? words[1] : words[0]));
    return;
  }
  // Answers always have the name that was asked for, so "answer auto" is how it is.
  words = words.subspan(2);
  if (!words.empty() && !(words.size() == 2 && words[0] == "answer" && words[1] == "auto")) {
    context.warn(context.line,
                 "rules of answers are ignored: answers have the name of the question");
  }
  rule.from = *from;
  rule.to = *to;
  context.settings.rewrites.push_back(std::move(rule));
}

}  // namespace proa::dns

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"

namespace proa::dns {
namespace forward_plugin {

// As many as CoreDNS takes.
constexpr size_t kMaxUpstreams = 15;
constexpr size_t kMostConcurrent = 100'000;
constexpr unsigned kMostFails = 1'000;

// REQUIRES: the zone of this plugin was added last.
ForwardZone& zone_of(const PluginContext& context) { return context.settings.forwards.back(); }

void read_except(const PluginContext& context, const CorefileLine& option) {
  for (const std::string& word : std::span(option.words).subspan(1)) {
    auto zone = parse_zone(word);
    if (!zone) {
      context.error(option, fmt::format("\"{}\" is not a zone", word));
      continue;
    }
    zone_of(context).except.push_back(std::move(*zone));
  }
}

void read_force_tcp(const PluginContext& context, const CorefileLine&) {
  zone_of(context).force_tcp = true;
}

std::optional<uint64_t> number(const PluginContext& context, const CorefileLine& option,
                               uint64_t most) {
  const auto found = option.words.size() == 2 ? parse_uint(option.words[1]) : std::nullopt;
  if (found && *found <= most) return found;
  context.error(option, fmt::format("{} needs a number up to {}", option.words[0], most));
  return std::nullopt;
}

void read_max_fails(const PluginContext& context, const CorefileLine& option) {
  const auto fails = number(context, option, kMostFails);
  if (fails) zone_of(context).max_fails = static_cast<unsigned>(*fails);
}

void read_max_concurrent(const PluginContext& context, const CorefileLine& option) {
  const auto most = number(context, option, kMostConcurrent);
  if (!most) return;
  // CoreDNS: 0 is unlimited. Here everything has a limit.
  zone_of(context).max_concurrent = *most == 0 ? kMostConcurrent : *most;
}

void read_policy(const PluginContext& context, const CorefileLine& option) {
  const std::string_view name = option.words.size() == 2 ? option.words[1] : std::string_view();
  if (name == "random") {
    zone_of(context).policy = UpstreamPolicy::kRandom;
  } else if (name == "round_robin") {
    zone_of(context).policy = UpstreamPolicy::kRoundRobin;
  } else if (name == "sequential") {
    zone_of(context).policy = UpstreamPolicy::kSequential;
  } else {
    context.error(option, "policy must be random, round_robin or sequential");
  }
}

void read_health_check(const PluginContext& context, const CorefileLine& option) {
  const auto period = option.words.size() >= 2 ? parse_seconds(option.words[1]) : std::nullopt;
  if (!period || *period <= Duration(0)) {
    context.error(option, "health_check needs a duration such as 500ms");
    return;
  }
  zone_of(context).health_check = std::max<Duration>(*period, std::chrono::milliseconds(100));
}

void read_tls(const PluginContext& context, const CorefileLine& option) {
  context.error(option, "encrypted upstreams are not supported");
}

constexpr PluginOption kOptions[] = {
    {"except", read_except},
    {"force_tcp", read_force_tcp},
    {"prefer_udp", nullptr},
    {"expire", ignored_duration},
    {"max_age", ignored_duration},
    {"max_idle_conns", nullptr},
    {"max_fails", read_max_fails},
    {"max_concurrent", read_max_concurrent},
    {"policy", read_policy},
    {"health_check", read_health_check},
    {"tls", read_tls},
    {"tls_servername", read_tls},
    {"next", unsupported_option},
    {"next_on_nodata", unsupported_option},
    {"failover", unsupported_option},
    {"failfast_all_unhealthy_upstreams", unsupported_option},
    {"max_connect_attempts", unsupported_option},
    {"read_timeout", unsupported_option},
    {"doh_method", unsupported_option},
    {"resolver", unsupported_option},
    {"source_address", unsupported_option},
};

void add_upstream(const PluginContext& context, const std::string& word, ForwardZone& zone) {
  if (word.starts_with('/')) {
    zone.of_host = true;
    if (word != "/etc/resolv.conf") {
      context.warn(context.line,
                   fmt::format("{} is not read; the host's resolvers are used", word));
    }
    return;
  }
  const Result<Upstream> upstream = parse_upstream(word);
  if (!upstream.ok()) {
    context.error(context.line, upstream.status().message());
  } else if (zone.upstreams.size() == kMaxUpstreams) {
    context.error(context.line, fmt::format("more than {} upstreams", kMaxUpstreams));
  } else {
    zone.upstreams.push_back(*upstream);
  }
}

}  // namespace forward_plugin

void read_forward_plugin(const PluginContext& context) {
  const auto arguments = context.arguments();
  if (arguments.size() < 2) {
    context.error(context.line, "a zone and at least one upstream are required");
    return;
  }
  auto from = parse_zone(arguments[0]);
  if (!from) {
    context.error(context.line, fmt::format("\"{}\" is not a zone", arguments[0]));
    return;
  }
  // "forward ." in the block of a zone is about that zone.
  ForwardZone zone{.zone = is_within(context.zone, *from) ? std::string(context.zone) : *from};
  if (!is_within(zone.zone, context.zone)) {
    context.warn(context.line,
                 fmt::format("{} is not in the zone {} of the block", zone.zone, context.zone));
    return;
  }
  for (const ForwardZone& known : context.settings.forwards) {
    if (known.zone != zone.zone) continue;
    context.error(context.line, fmt::format("zone {} is forwarded twice", zone.zone));
    return;
  }
  for (const std::string& word : arguments.subspan(1)) {
    forward_plugin::add_upstream(context, word, zone);
  }
  context.settings.forwards.push_back(std::move(zone));
  read_options(context, forward_plugin::kOptions);
}

}  // namespace proa::dns

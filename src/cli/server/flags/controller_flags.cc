#include "cli/server/flags/controller_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/names.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "cli/node/dns/dns_flags.h"
#include "controllers/controllers.h"
#include "controllers/network/balancers/address_pool.h"
#include "controllers/node/cidr_set.h"

namespace proa::cli {
namespace controller_choice {

using controllers::ControllerEntry;

bool has_all(const std::vector<std::string_view>& words) {
  return std::ranges::find(words, "*") != words.end();
}

bool is_refused(const ControllerEntry& one, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return word.starts_with('-') && one.is_named(word.substr(1));
  });
}

bool is_wanted(const ControllerEntry& one, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return one.is_named(word); });
}

// An item that is neither "*", "none", a name, nor a name with a minus; empty if there is none.
std::string_view unknown_word(std::span<const ControllerEntry> all,
                              const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (word == "*" || word == "none") continue;
    const std::string_view name = word.starts_with('-') ? word.substr(1) : word;
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const ControllerEntry& one) { return one.is_named(name); });
    if (!known) return word;
  }
  return {};
}

std::string names_of(std::span<const ControllerEntry> all) {
  std::vector<std::string> names;
  for (const ControllerEntry& one : all) names.emplace_back(one.name);
  std::sort(names.begin(), names.end());
  return join(names, ", ");
}

constexpr std::string_view kNoRange = "none";
constexpr std::string_view kRangeGiver = "node-ipam-controller";
constexpr std::string_view kUsualRange = "10.244.0.0/16";
constexpr std::string_view kUsualRangeV6 = "fd00:10:244::/48";

// As upstream: no more node CIDRs than 2^16.
constexpr int kMostNodeBits = 16;

Result<void> check_networks(const controllers::ControllerOptions& options) {
  if (options.cluster_cidr.empty()) return {};
  for (const std::string_view text : split(options.cluster_cidr, ',')) {
    const auto cidr = parse_prefix(trim(text));
    if (!cidr || !api::check_cidr(trim(text)).empty()) {
      return Status(Reason::kInvalid, "--cluster-cidr must be a CIDR such as 10.244.0.0/16, not " +
                                          std::string(text));
    }
    const int node_bits = options.node_cidr_mask_size - static_cast<int>(cidr->bits);
    if (!cidr->v6 && (node_bits < 0 || node_bits > kMostNodeBits)) {
      return Status(Reason::kInvalid,
                    fmt::format("--node-cidr-mask-size {} cannot split --cluster-cidr {}: it must "
                                "be between {} and {}",
                                options.node_cidr_mask_size, cidr->str(), cidr->bits,
                                std::min(cidr->bits + kMostNodeBits, 32u)));
    }
  }
  if (!controllers::nodes::parse_cidr_sets(options.cluster_cidr,
                                           static_cast<unsigned>(options.node_cidr_mask_size))) {
    return Status(Reason::kInvalid,
                  "--cluster-cidr cannot be split into node CIDRs: " + options.cluster_cidr);
  }
  return {};
}

// Addresses outside of the cluster; those of pods and Services mean something else.
Result<void> check_pool(const controllers::ControllerOptions& options) {
  const std::vector<IpPrefix> pool =
      TRY(controllers::parse_load_balancer_pool(options.load_balancer_pool));
  for (const auto& [flag, networks] :
       {std::pair("--cluster-cidr", std::string_view(options.cluster_cidr)),
        std::pair("--service-cluster-ip-range", std::string_view(options.service_cidr))}) {
    for (const std::string_view text : split(networks, ',')) {
      const auto network = parse_prefix(trim(text));
      for (const IpPrefix& range : pool) {
        if (!network || !overlap(range, *network)) continue;
        return Status(Reason::kInvalid, fmt::format("--load-balancer-pool {} overlaps with {} {}",
                                                    range.str(), flag, network->str()));
      }
    }
  }
  return {};
}

}  // namespace controller_choice

std::vector<Flag> controller_flags() {
  const controllers::ControllerOptions fallback;
  return {
      {.name = "controllers",
       .word = "NAME,...",
       .fallback = "*",
       .summary =
           "controllers to run: * for all, -NAME to exclude one, none; names are upstream's, "
           "former ones too"},
      {.name = "cluster-cidr",
       .word = "CIDR,...",
       .summary = "CIDR of pods, one, or one per IP family; every node gets a part of it; none: "
                  "nodes get no CIDRs; default: 10.244.0.0/16 and fd00:10:244::/48, for the "
                  "families of --service-cluster-ip-range"},
      {.name = "node-cidr-mask-size",
       .kind = ValueKind::kNumber,
       .word = "BITS",
       .fallback = std::to_string(fallback.node_cidr_mask_size),
       .summary = "prefix length of a node's part of --cluster-cidr",
       .least = 1,
       .most = 32},
      {.name = "node-monitor-grace-period",
       .kind = ValueKind::kDuration,
       .word = "TIME",
       .fallback = format_duration(fallback.node_monitor_grace_period),
       .summary = "time without a heartbeat after which a node is marked Unknown"},
      {.name = "load-balancer-pool",
       .word = "CIDR,...|nodes",
       .fallback = fallback.load_balancer_pool,
       .summary = "addresses of LoadBalancer Services, announced by one node each; nodes: the "
                  "nodes' own addresses"},
      {.name = "terminated-pod-gc-threshold",
       .kind = ValueKind::kNumber,
       .word = "COUNT",
       .fallback = std::to_string(fallback.terminated_pod_gc_threshold),
       .summary = "number of terminated pods that are kept; 0 keeps all"},
      dns_flag()};
}

std::string cluster_cidr_of(const Settings& settings) {
  const std::string& text = settings.text("cluster-cidr");
  if (text == controller_choice::kNoRange) return {};
  if (!text.empty()) return text;
  std::vector<std::string> ranges;
  for (const std::string_view services : split(settings.text("service-cluster-ip-range"), ',')) {
    const bool v6 = services.find(':') != std::string_view::npos;
    ranges.emplace_back(v6 ? controller_choice::kUsualRangeV6 : controller_choice::kUsualRange);
  }
  return join(ranges, ",");
}

std::vector<IpPrefix> pod_ranges_of(const Settings& settings, bool with_node) {
  std::vector<IpPrefix> ranges;
  const std::string cluster = cluster_cidr_of(settings);
  if (cluster.empty()) return ranges;
  const std::string own = with_node ? settings.text("pod-cidr") : "";
  for (const std::string_view texts : {std::string_view(cluster), std::string_view(own)}) {
    for (const std::string_view text : split(texts, ',')) {
      if (const auto range = parse_prefix(trim(text))) ranges.push_back(*range);
    }
  }
  return ranges;
}

bool gives_pod_ranges(const Settings& settings) {
  const auto chosen =
      choose_controllers(controllers::all_controllers(), settings.text("controllers"));
  return !cluster_cidr_of(settings).empty() && chosen.ok() &&
         std::ranges::any_of(*chosen, [](const controllers::ControllerEntry& one) {
           return one.name == controller_choice::kRangeGiver;
         });
}

Result<void> read_controller_options(const Settings& settings,
                                     controllers::ControllerOptions& options) {
  options.cluster_cidr = cluster_cidr_of(settings);
  options.node_cidr_mask_size = static_cast<int>(settings.number("node-cidr-mask-size"));
  options.node_monitor_grace_period = settings.duration("node-monitor-grace-period");
  options.terminated_pod_gc_threshold =
      static_cast<int>(settings.number("terminated-pod-gc-threshold"));
  options.load_balancer_pool = settings.text("load-balancer-pool");
  options.dns = wants_dns(settings);
  TRY(controller_choice::check_networks(options));
  return controller_choice::check_pool(options);
}

Result<std::vector<controllers::ControllerEntry>> choose_controllers(
    std::span<const controllers::ControllerEntry> all, std::string_view wanted) {
  using namespace controller_choice;  // NOLINT: this unit's own
  std::vector<std::string_view> words;
  for (const std::string_view word : split(wanted, ',')) words.push_back(trim(word));
  if (const std::string_view word = unknown_word(all, words); !word.empty()) {
    return Status(Reason::kInvalid, "--controllers names " + std::string(word) +
                                        ", which is not one of: " + names_of(all));
  }
  std::vector<ControllerEntry> chosen;
  for (const ControllerEntry& one : all) {
    const bool wanted_by_word = has_all(words) || is_wanted(one, words);
    if (wanted_by_word && !is_refused(one, words)) chosen.push_back(one);
  }
  return chosen;
}

}  // namespace proa::cli

#include "apiserver/resources/allocate/ip_families.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/resources/allocate/network.h"
#include "kinds/core/services/service_facts.h"

namespace proa::apiserver {
namespace ip_families {

using api::Edit;
using api::FieldErrors;
using api::Path;
using api::View;
using Families = std::span<const std::string_view>;

constexpr std::string_view kSingle = "SingleStack";
constexpr std::string_view kPrefer = "PreferDualStack";
constexpr std::string_view kRequire = "RequireDualStack";

bool is_single(View spec) { return spec["ipFamilyPolicy"].text() == kSingle; }

// Headless without a selector: endpoints may use any family.
bool is_open(View spec) { return spec["clusterIP"].text() == "None" && spec["selector"].empty(); }

// A PreferDualStack Service does not gain or lose a family when the cluster changes.
bool keeps_preference(View spec, View old) {
  const std::string_view before = old["ipFamilyPolicy"].text();
  return old.exists() && spec["ipFamilyPolicy"].text() == kPrefer &&
         (before.empty() || before == kPrefer) && spec["type"].text() == old["type"].text() &&
         kinds::same_list(spec["clusterIPs"], old["clusterIPs"]) &&
         kinds::same_list(spec["ipFamilies"], old["ipFamilies"]);
}

void default_policy(Edit spec, View old) {
  if (!spec["ipFamilyPolicy"].text().empty()) return;
  const std::string_view before = old["ipFamilyPolicy"].text();
  if (!before.empty()) {
    spec.set("ipFamilyPolicy", before);
  } else {
    spec.set("ipFamilyPolicy", is_open(spec.view()) ? kRequire : kSingle);
  }
}

void keep_first(Edit spec, std::string_view list) {
  if (spec[list].size() > 1) spec.existing(list).value().erase(1);
}

void compare_with_old(Edit spec, View old, FieldErrors& errors) {
  const Path path("spec.ipFamilyPolicy");
  struct List {
    std::string_view name;
    std::string_view problem;
  };
  for (const List& list :
       {List{"clusterIPs", "must be 'SingleStack' to release the secondary cluster IP"},
        List{"ipFamilies", "must be 'SingleStack' to release the secondary IP family"}}) {
    const View now = spec[list.name];
    const View before = old[list.name];
    if (is_single(spec.view())) {
      if (kinds::same_list(now, before)) keep_first(spec, list.name);
    } else if (!now.empty() && now.size() < before.size()) {
      errors.invalid(path, spec["ipFamilyPolicy"], list.problem);
    }
  }
}

void check_policy(View spec, FieldErrors& errors) {
  if (!is_single(spec)) return;
  const Path path("spec.ipFamilyPolicy");
  const std::string problem = "must be 'RequireDualStack' or 'PreferDualStack' when multiple ";
  if (spec["clusterIPs"].size() == 2) {
    errors.invalid(path, spec["ipFamilyPolicy"], problem + "cluster IPs are specified");
  }
  if (spec["ipFamilies"].size() == 2) {
    errors.invalid(path, spec["ipFamilyPolicy"], problem + "IP families are specified");
  }
}

bool has(Families families, std::string_view family) {
  return std::find(families.begin(), families.end(), family) != families.end();
}

void push(Edit spec, std::string_view family) {
  spec.array("ipFamilies").push(json::Value::string(spec.arena(), family));
}

void add_other(Edit spec) {
  push(spec, spec["ipFamilies"].item(0).text() == "IPv4" ? "IPv6" : "IPv4");
}

// Requested addresses determine the families.
void infer_from_addresses(Edit spec, Families configured, FieldErrors& errors) {
  const Path path("spec.clusterIPs");
  for (size_t i = 0; i < spec["clusterIPs"].size(); ++i) {
    // Looked up each time: adding members invalidates the view.
    const View addresses = spec["clusterIPs"];
    const auto address = parse_ip(addresses.item(i).text());
    if (!address || i < spec["ipFamilies"].size()) continue;
    const std::string_view family = family_of(*address);
    if (has(configured, family)) {
      push(spec, family);
    } else {
      errors.invalid(path.index(i), addresses,
                     std::string(family) + " is not configured on this cluster");
    }
  }
}

void check_configured(View spec, Families configured, FieldErrors& errors) {
  if (spec["ipFamilyPolicy"].text() == kRequire && configured.size() < 2) {
    errors.invalid(Path("spec.ipFamilyPolicy"), spec["ipFamilyPolicy"],
                   "this cluster is not configured for dual-stack services");
  }
  const Path path("spec.ipFamilies");
  const View families = spec["ipFamilies"];
  for (size_t i = 0; i < families.size(); ++i) {
    if (has(configured, families.item(i).text())) continue;
    errors.invalid(path.index(i), families.item(i), "not configured on this cluster");
  }
}

}  // namespace ip_families

void settle_ip_families(api::Edit spec, api::View old, std::span<const std::string_view> configured,
                        api::FieldErrors& errors) {
  if (!kinds::needs_cluster_ip(spec.view())) return;
  if (ip_families::keeps_preference(spec.view(), old)) return;
  ip_families::default_policy(spec, old);
  if (old.exists()) ip_families::compare_with_old(spec, old, errors);
  ip_families::check_policy(spec.view(), errors);
  ip_families::infer_from_addresses(spec, configured, errors);
  if (!errors.empty()) return;
  const bool open = ip_families::is_open(spec.view());
  if (!open) ip_families::check_configured(spec.view(), configured, errors);
  if (!errors.empty()) return;
  if (spec["ipFamilies"].empty()) ip_families::push(spec, configured[0]);
  const bool both = open || configured.size() == 2;
  if (both && !ip_families::is_single(spec.view()) && spec["ipFamilies"].size() == 1) {
    ip_families::add_other(spec);
  }
}

}  // namespace proa::apiserver

#include "kinds/networking/service_cidr.h"

#include "base/net/ip_address.h"
#include "base/strings.h"

namespace proa::kinds {

namespace service_cidr {

constexpr std::string_view kImmutable = "field is immutable";

void validate_ranges(View object, api::FieldErrors& errors) {
  const api::Path path("spec.cidrs");
  const View ranges = object["spec"]["cidrs"];
  if (ranges.empty()) {
    errors.required(path, "at least one CIDR required");
    return;
  }
  if (ranges.size() > 2) {
    errors.invalid(path, object["spec"], "may only hold up to 2 values");
    return;
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    const std::string_view text = ranges.item(i).text();
    errors.invalid_each(path.index(i), text, api::check_canonical_cidr(text));
  }
  if (ranges.size() < 2) return;
  const auto first = parse_prefix(ranges.item(0).text());
  const auto second = parse_prefix(ranges.item(1).text());
  if (first && second && first->address.is_v4() == second->address.is_v4()) {
    errors.invalid(path, ranges,
                   "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
                   "2001:db8::/64");
  }
}

// A CIDR of the other family may be added; everything else is immutable.
void validate_update(View object, View old, api::FieldErrors& errors) {
  const api::Path path("spec.cidrs");
  const View ranges = object["spec"]["cidrs"];
  const View before = old["spec"]["cidrs"];
  const bool extended = before.size() == 1 && ranges.size() == 2;
  if (ranges.size() != before.size() && !extended) {
    errors.invalid(path, ranges, kImmutable);
    return;
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (!(ranges.item(i) == before.item(i)))
      errors.invalid(path.index(i), ranges.item(i), kImmutable);
  }
  if (extended) validate_ranges(object, errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "CIDRs", .description = "Where addresses of services come from."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  std::vector<std::string_view> ranges;
  for (const View range : object["spec"]["cidrs"].items()) ranges.push_back(range.text());
  cells.text(object["metadata"]["name"].text());
  cells.text(join(ranges, ","));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace service_cidr

KindRules service_cidr_rules() {
  return {
      .kind = "networking.k8s.io/v1/ServiceCIDR",
      .validate_create = service_cidr::validate_ranges,
      .validate_update = service_cidr::validate_update,
      .columns = service_cidr::kColumns,
      .row = service_cidr::row,
  };
}

}  // namespace proa::kinds

#include "kinds/core/services/endpoints.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kinds/checks/addresses.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace endpoints {

using api::FieldErrors;
using api::Path;

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"}, {.name = "Endpoints"}, {.name = "Age"}};

// The first few pairs of address and port.
class Listing {
 public:
  static constexpr size_t kShown = 3;

  void add(std::string_view address, View port) {
    if (++count_ > kShown) return;
    if (!port) {
      shown_.emplace_back(address);
      return;
    }
    const bool is_v6 = address.find(':') != std::string_view::npos;
    shown_.push_back(
        fmt::format(fmt::runtime(is_v6 ? "[{}]:{}" : "{}:{}"), address, port["port"].integer()));
  }
  // Pairs beyond those that are shown.
  void count(size_t more) { count_ += more; }
  bool full() const { return count_ >= kShown; }
  std::string str() const {
    std::string text = join(shown_, ",");
    if (count_ == shown_.size()) return text;
    return fmt::format("{} + {} more...", text, count_ - shown_.size());
  }

 private:
  size_t count_ = 0;
  std::vector<std::string> shown_;
};

std::string listing(View subsets) {
  if (subsets.empty()) return "<none>";
  Listing all;
  for (const View subset : subsets.items()) {
    const View addresses = subset["addresses"];
    // Headless services may have no ports.
    if (subset["ports"].empty()) {
      for (const View address : addresses.items()) all.add(address["ip"].text(), View());
    }
    for (const View port : subset["ports"].items()) {
      const size_t shown = all.full() ? 0 : std::min(addresses.size(), Listing::kShown);
      for (size_t i = 0; i < shown; ++i) all.add(addresses.item(i)["ip"].text(), port);
      all.count(addresses.size() - shown);
    }
  }
  return all.str();
}

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(listing(object["subsets"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

void validate_address(View address, const Path& path, FieldErrors& errors) {
  const std::string_view ip = address["ip"].text();
  const Path ip_path = path.field("ip");
  errors.invalid_each(ip_path, ip, api::check_ip(ip));
  if (!address["hostname"].text().empty()) {
    check_text(address["hostname"], api::check_dns1123_label, path.field("hostname"), errors);
  }
  if (address["nodeName"]) {
    check_text(address["nodeName"], api::check_dns1123_subdomain, path.field("nodeName"), errors);
  }
  validate_endpoint_address(ip, ip_path, errors);
}

void validate_port(View port, bool name_required, const Path& path, FieldErrors& errors) {
  const Path name_path = path.field("name");
  if (!port["name"].text().empty()) {
    check_text(port["name"], api::check_dns1123_label, name_path, errors);
  } else if (name_required) {
    errors.required(name_path);
  }
  const int64_t number = port["port"].integer();
  for (const std::string& problem : api::check_port_number(number)) {
    errors.invalid(path.field("port"), number, problem);
  }
  require_one_of(port["protocol"], {"SCTP", "TCP", "UDP"}, path.field("protocol"), errors);
  if (port["appProtocol"]) {
    check_text(port["appProtocol"], api::check_qualified_name, path.field("appProtocol"), errors);
  }
}

void validate_subset(View subset, const Path& path, FieldErrors& errors) {
  if (subset["addresses"].empty() && subset["notReadyAddresses"].empty()) {
    errors.required(path, "must specify `addresses` or `notReadyAddresses`");
  }
  for (const std::string_view name : {"addresses", "notReadyAddresses"}) {
    const Path list = path.field(name);
    each(subset[name], list,
         [&](View address, const Path& item) { validate_address(address, item, errors); });
  }
  const Path ports = path.field("ports");
  each(subset["ports"], ports, [&](View port, const Path& item) {
    validate_port(port, subset["ports"].size() > 1, item, errors);
  });
}

void validate(View object, FieldErrors& errors) {
  const Path path("subsets");
  each(object["subsets"], path,
       [&](View subset, const Path& item) { validate_subset(subset, item, errors); });
}

void warn(View object, View, Warnings& warnings) {
  // No warnings for the controller: it writes many addresses, all canonical.
  if (object.at("metadata.labels")["endpoints.kubernetes.io/managed-by"].text() ==
      "endpoint-controller") {
    return;
  }
  const Path path("subsets");
  each(object["subsets"], path, [&](View subset, const Path& item) {
    for (const std::string_view name : {"addresses", "notReadyAddresses"}) {
      const Path list = item.field(name);
      each(subset[name], list, [&](View address, const Path& place) {
        warn_about_address(address["ip"].text(), place.field("ip"), warnings);
      });
    }
  });
}

}  // namespace endpoints

KindRules endpoints_rules() {
  return {.kind = "v1/Endpoints",
          .metadata = {.update = "UM"},
          .validate = endpoints::validate,
          .warn = endpoints::warn,
          .columns = endpoints::kColumns,
          .row = endpoints::row};
}

}  // namespace proa::kinds

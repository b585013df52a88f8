#include "kinds/networking/network_policy.h"

#include "api/validation/metadata.h"
#include "base/net/ip_address.h"
#include "kinds/checks/addresses.h"
#include "kinds/checks/label_selector.h"

namespace proa::kinds {

namespace network_policy {

void validate_port(View port, const api::Path& path, api::FieldErrors& errors) {
  constexpr std::string_view kProtocols[] = {"TCP", "UDP", "SCTP"};
  api::validate_enum(port["protocol"], kProtocols, path.field("protocol"), errors);
  const View first = port["port"];
  const View last = port["endPort"];
  const api::Path last_path = path.field("endPort");
  if (!first.exists()) {
    if (last.exists())
      errors.invalid(last_path, last, "may not be specified when `port` is not specified");
    return;
  }
  if (first.is(json::Kind::kString)) {
    if (last.exists())
      errors.invalid(last_path, last, "may not be specified when `port` is non-numeric");
    errors.invalid_each(path.field("port"), first.text(), api::check_port_name(first.text()));
    return;
  }
  for (const std::string& problem : api::check_port_number(first.integer()))
    errors.invalid(path.field("port"), first, problem);
  if (!last.exists()) return;
  // Upstream prints the first port here.
  if (last.integer() < first.integer())
    errors.invalid(last_path, first, "must be greater than or equal to `port`");
  for (const std::string& problem : api::check_port_number(last.integer()))
    errors.invalid(last_path, last, problem);
}

void validate_block(View block, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view range = block["cidr"].text();
  if (range.empty()) {
    errors.required(path.field("cidr"));
    return;
  }
  errors.invalid_each(path.field("cidr"), range, api::check_cidr(range));
  const auto outer = parse_prefix(range);
  if (!outer) return;
  const api::Path except_path = path.field("except");
  const View except = block["except"];
  for (size_t i = 0; i < except.size(); ++i) {
    const std::string_view text = except.item(i).text();
    errors.invalid_each(except_path.index(i), text, api::check_cidr(text));
    const auto inner = parse_prefix(text);
    if (!inner) continue;
    if (!outer->contains(inner->base()) || outer->bits >= inner->bits)
      errors.invalid(except_path.index(i), text, "must be a strict subset of `cidr`");
  }
}

void validate_peer(View peer, const api::Path& path, api::FieldErrors& errors) {
  size_t given = 0;
  for (const std::string_view selector : {"podSelector", "namespaceSelector"}) {
    if (!peer[selector].exists()) continue;
    ++given;
    api::validate_label_selector(peer[selector], path.field(selector), errors);
  }
  if (peer["ipBlock"].exists()) {
    ++given;
    validate_block(peer["ipBlock"], path.field("ipBlock"), errors);
  }
  if (given == 0) {
    errors.required(path, "must specify a peer");
  } else if (given > 1 && peer["ipBlock"].exists()) {
    errors.forbidden(path, "may not specify both ipBlock and another peer");
  }
}

void validate_rules(View rules, std::string_view peers_name, const api::Path& path,
                    api::FieldErrors& errors) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const api::Path rule_path = path.index(i);
    const api::Path ports_path = rule_path.field("ports");
    const api::Path peers_path = rule_path.field(peers_name);
    const View ports = rules.item(i)["ports"];
    const View peers = rules.item(i)[peers_name];
    for (size_t j = 0; j < ports.size(); ++j)
      validate_port(ports.item(j), ports_path.index(j), errors);
    for (size_t j = 0; j < peers.size(); ++j)
      validate_peer(peers.item(j), peers_path.index(j), errors);
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  api::validate_label_selector(spec["podSelector"], path.field("podSelector"), errors);
  validate_rules(spec["ingress"], "from", path.field("ingress"), errors);
  validate_rules(spec["egress"], "to", path.field("egress"), errors);
  const View types = spec["policyTypes"];
  const api::Path types_path = path.field("policyTypes");
  if (types.size() > 2) {
    errors.invalid(types_path, types, "may not specify more than two policyTypes");
    return;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string_view type = types.item(i).text();
    if (type != "Ingress" && type != "Egress")
      errors.not_supported(types_path.index(i), type, {"Ingress", "Egress"});
  }
}

void warn_about_rules(View rules, std::string_view peers_name, const api::Path& path,
                      Warnings& warnings) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const api::Path rule_path = path.index(i);
    const api::Path peers_path = rule_path.field(peers_name);
    const View peers = rules.item(i)[peers_name];
    for (size_t j = 0; j < peers.size(); ++j) {
      const View block = peers.item(j)["ipBlock"];
      if (!block.exists()) continue;
      const api::Path peer_path = peers_path.index(j);
      const api::Path block_path = peer_path.field("ipBlock");
      warn_about_network(block["cidr"].text(), block_path.field("cidr"), warnings);
      const api::Path except_path = block_path.field("except");
      for (size_t k = 0; k < block["except"].size(); ++k) {
        warn_about_network(block["except"].item(k).text(), except_path.index(k), warnings);
      }
    }
  }
}

void warn(View object, View /*old*/, Warnings& warnings) {
  const api::Path path("spec");
  warn_about_rules(object["spec"]["ingress"], "from", path.field("ingress"), warnings);
  warn_about_rules(object["spec"]["egress"], "to", path.field("egress"), warnings);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Pod-Selector", .description = "Which pods it is about."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(selector_cell(object["spec"]["podSelector"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

void default_network_policy_spec(api::Edit spec) {
  if (!spec["policyTypes"].empty()) return;
  spec.remove("policyTypes");
  const api::Edit types = spec.array("policyTypes");
  types.push(json::Value::borrowed("Ingress"));
  if (!spec["egress"].empty()) types.push(json::Value::borrowed("Egress"));
}

constexpr TypeDefaults kDefaults[] = {
    {"networking.k8s.io/v1/NetworkPolicySpec", default_network_policy_spec}};

}  // namespace network_policy

KindRules network_policy_rules() {
  return {
      .kind = "networking.k8s.io/v1/NetworkPolicy",
      .defaults = network_policy::kDefaults,
      .validate = network_policy::validate,
      .warn = network_policy::warn,
      .columns = network_policy::kColumns,
      .row = network_policy::row,
  };
}

}  // namespace proa::kinds

#include "cli/commands/dns.h"

#include <fmt/format.h>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "cli/command_line/output.h"
#include "cli/credentials/cluster_choice.h"
#include "cli/node/dns/dns_flags.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/flags/server_flags.h"
#include "dns/config/config_map.h"
#include "dns/server/names/explain.h"
#include "json/parse.h"

namespace proa::cli {
namespace dns_query {

constexpr Duration kRequestTimeout = std::chrono::seconds(30);
constexpr int64_t kPage = 500;
// Nodes that are asked for the domain, until one answers.
constexpr size_t kMostNodes = 3;

client::Place place_of(std::string_view group, std::string_view resource,
                       std::string_view name_space = {}, std::string_view name = {}) {
  return {.resource = api::builtin_schema().find_resource(group, "v1", resource),
          .name_space = std::string(name_space),
          .name = std::string(name),
          .subresource = {}};
}

template <typename Take>
Result<void> each(const client::BoundedClient& client, std::string_view group,
                  std::string_view resource, const Take& take) {
  client::ListQuery query{.label_selector = {},
                          .field_selector = {},
                          .resource_version = {},
                          .limit = kPage,
                          .continue_token = {}};
  do {
    client::ObjectList page = TRY(client.list(place_of(group, resource), query));
    for (const api::ObjectPtr& object : page.items) take(*object);
    query.continue_token = std::move(page.continue_token);
  } while (!query.continue_token.empty());
  return {};
}

Result<void> load(const client::BoundedClient& client, dns::Index& index) {
  TRY(each(client, "", "namespaces",
           [&](const api::Object& object) { index.set_namespace(object.metadata().name, true); }));
  TRY(each(client, "", "services", [&](const api::Object& object) {
    index.set_service(object.metadata().name_space, object.metadata().name,
                      dns::read_service(object));
  }));
  TRY(each(client, "discovery.k8s.io", "endpointslices", [&](const api::Object& object) {
    const std::string_view service = dns::service_of(object);
    if (service.empty()) return;
    index.set_slice(object.metadata().name_space, service, object.metadata().name,
                    dns::read_slice(object));
  }));
  index.set_synced();
  return {};
}

// What is known besides the names, and what a person should know of it.
struct Setup {
  std::string domain;
  dns::Settings settings = {};
  std::vector<IpAddress> servers = {};
  std::vector<std::string> notes = {};
};

// A node that is not would be waited for.
bool is_ready(const api::Object& node) {
  const auto document = node.document();
  if (!document.ok()) return false;
  for (const api::View condition : api::View(document->root())["status"]["conditions"].items()) {
    if (condition["type"].text() == "Ready") return condition["status"].text() == "True";
  }
  return false;
}

// The domain as a kubelet has it: nothing else in the API says it. Empty: no node answers.
std::string domain_of_nodes(AdminClient& cluster) {
  client::ListQuery query{.label_selector = {},
                          .field_selector = {},
                          .resource_version = {},
                          .limit = kPage,
                          .continue_token = {}};
  const auto nodes = cluster.client().list(place_of("", "nodes"), query);
  if (!nodes.ok()) return {};
  size_t asked = 0;
  for (const api::ObjectPtr& node : nodes->items) {
    if (!is_ready(*node)) continue;
    if (++asked > kMostNodes) break;
    const auto text =
        cluster.text_at("/api/v1/nodes/" + std::string(node->metadata().name) + "/proxy/configz");
    if (!text.ok()) continue;
    const auto document = json::parse(*text);
    if (!document.ok()) continue;
    const std::string_view domain =
        api::View(document->root())["kubeletconfig"]["clusterDomain"].text();
    if (!domain.empty()) return std::string(domain);
  }
  return {};
}

void find_domain(AdminClient& cluster, const Settings& settings, Setup& setup) {
  setup.domain = settings.text("cluster-domain");
  if (setup.domain.empty()) setup.domain = domain_of_nodes(cluster);
  if (!setup.domain.empty()) return;
  setup.domain = "cluster.local";
  setup.notes.emplace_back(
      "no node says what the cluster's domain is: assuming cluster.local; --cluster-domain names "
      "another one");
}

// The configuration as the agents of nodes read it.
Result<void> read_configuration(AdminClient& cluster, Setup& setup) {
  const auto found = cluster.client().get(
      place_of("", "configmaps", dns::kConfigMapNamespace, dns::kConfigMapName));
  if (!found.ok() && !found.is(Reason::kNotFound)) return cluster.explain(found.status());
  std::map<std::string, std::string, std::less<>> data;
  if (found.ok()) {
    const json::Document document = TRY((*found)->document());
    for (const json::Member& member : api::View(document.root())["data"].members()) {
      data.emplace(std::string(member.key), std::string(api::View(member.value).text()));
    }
  }
  dns::Problems problems;
  setup.settings = dns::read_config_map(data, setup.domain, problems);
  for (const std::string& warning : problems.warnings) {
    setup.notes.push_back("a part of the DNS configuration is not used: " + warning);
  }
  if (problems.errors.empty()) return {};
  for (const std::string& error : problems.errors) {
    setup.notes.push_back("the DNS configuration is not used: " + error);
  }
  setup.notes.emplace_back(
      "this is without a configuration; nodes keep the one that they had before");
  problems = {};
  setup.settings = dns::read_config_map({}, setup.domain, problems);
  return {};
}

Result<Setup> find_setup(AdminClient& cluster, const Settings& settings) {
  Setup setup;
  find_domain(cluster, settings, setup);
  TRY(read_configuration(cluster, setup));
  SystemClock clock;
  const ClusterDns own =
      TRY(find_cluster_dns(cluster.client().unbounded(), clock, Duration::zero()));
  setup.servers = own.addresses;
  if (!own.ours) {
    setup.notes.emplace_back(
        "nodes do not answer DNS in this cluster (--dns none): the DNS that is deployed may answer "
        "otherwise");
  }
  return setup;
}

std::string_view word_for(dns::Outcome outcome) {
  switch (outcome) {
    case dns::Outcome::kNotOurs:
      return "Forwarded";
    case dns::Outcome::kAnswer:
      return "Answered";
    case dns::Outcome::kNoData:
      return "NoData";
    case dns::Outcome::kNameError:
      return "NameError";
    case dns::Outcome::kNotReady:
      return "NotReady";
    case dns::Outcome::kRefused:
      return "Refused";
    case dns::Outcome::kExternal:
      return "AnsweredAndForwarded";
  }
  return "";
}

void add_texts(const api::Edit& out, std::string_view name, const std::vector<std::string>& texts) {
  const api::Edit list = out.array(name);
  for (const std::string& text : texts) list.push(json::Value::string(list.arena(), text));
}

json::Document document_of(const Setup& setup, const dns::Explanation& explanation) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit root(document);
  root.set("clusterDomain", setup.domain);
  root.set("exists", explanation.exists());
  add_texts(root, "notes", setup.notes);
  const api::Edit names = root.array("names");
  for (const dns::ExplainedName& one : explanation.names) {
    const api::Edit entry = names.push_object();
    entry.set("name", one.name);
    entry.set("type", dns::type_name(one.type));
    entry.set("outcome", word_for(one.outcome));
    add_texts(entry, "reasons", one.reasons);
    add_texts(entry, "records", one.records);
    add_texts(entry, "upstreams", one.upstreams);
  }
  return document;
}

std::string text_of(const Setup& setup, const dns::Explanation& explanation) {
  std::string text;
  for (const std::string& note : setup.notes) text += "note: " + note + "\n";
  return text + dns::show_text(explanation);
}

Result<bool> ask(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  dns::Type type = dns::Type::kA;
  dns::parse_type(settings.text("type"), type);
  const auto cluster = TRY(open_cluster(settings, kRequestTimeout));
  dns::Index index;
  const Result<void> loaded = load(cluster->client(), index);
  if (!loaded.ok()) return cluster->explain(loaded.status());
  const Setup setup = TRY(find_setup(*cluster, settings));
  const dns::Zone zone =
      TRY(dns::Zone::make({.domain = setup.domain,
                           .ttl = setup.settings.cluster.ttl,
                           .pod_names = setup.settings.cluster.pods != dns::PodRecords::kDisabled,
                           .servers = setup.servers}));
  const std::string& given = settings.text("namespace");
  const std::string name_space =
      given.empty() ? (cluster->name_space().empty() ? "default" : cluster->name_space()) : given;
  const std::string& name = invocation.arguments[0];
  const dns::Explanation explanation = TRY(dns::explain(
      index, zone, setup.settings, {.name = name, .type = type, .name_space = name_space}));
  const std::string& output = settings.text("output");
  terminal.out(output == "text" ? text_of(setup, explanation)
                                : format_value(document_of(setup, explanation).root(), output));
  return explanation.exists();
}

Result<void> check(const Invocation& invocation) {
  dns::Type type = dns::Type::kA;
  const std::string& text = invocation.settings.text("type");
  if (!dns::parse_type(text, type)) {
    return Status(Reason::kInvalid, "--type must be a record type such as A or SRV, not " + text);
  }
  const bool address = parse_ip(invocation.arguments[0]).has_value();
  if (!address || !invocation.settings.is_given("type") || type == dns::Type::kPtr) return {};
  return Status(Reason::kInvalid, "--type must be PTR for an address, not " + text);
}

}  // namespace dns_query

Command dns_command() {
  Command query{
      .name = "query",
      .summary = "Explain which record answers a name in the cluster, and why.",
      .description =
          "Reads Services, EndpointSlices and the ConfigMap kube-system/proa-dns, and looks the\n"
          "name up as nodes do: each name that the resolver of a pod would try, until one has an\n"
          "answer. An address stands for its name (PTR). Read-only. Names outside of the cluster\n"
          "are not asked for; which servers nodes ask is said. Exits with 3 if the name does not "
          "exist.",
      .arguments = {{.word = "NAME"}},
      .flags = {{.name = "type",
                 .word = "TYPE",
                 .fallback = "A",
                 .summary = "record type: A, AAAA, SRV, PTR, CNAME, TXT",
                 .letter = 't'},
                {.name = "namespace",
                 .word = "NAMESPACE",
                 .summary = "namespace of the pod; default: the kubeconfig's",
                 .letter = 'n'},
                {.name = "cluster-domain",
                 .word = "DOMAIN",
                 .summary = "DNS domain of Services; default: the nodes'"},
                kubeconfig_flag(),
                data_dir_flag(),
                output_flag()},
      .ask = dns_query::ask,
      .check = dns_query::check};
  return {
      .name = "dns", .summary = "Look at names of the cluster.", .commands = {std::move(query)}};
}

}  // namespace proa::cli

#include "cli/commands/dns.h"

#include "api/schema/builtin.h"
#include "cli/credentials/admin_client.h"
#include "cli/node/dns/dns_flags.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/run.h"
#include "dns/cluster/explain.h"

namespace proa::cli {
namespace dns_query {

constexpr Duration kRequestTimeout = std::chrono::seconds(30);
constexpr int64_t kPage = 500;

Result<std::unique_ptr<AdminClient>> open(const Settings& settings) {
  const std::string& kubeconfig = settings.text("kubeconfig");
  if (kubeconfig.empty()) return AdminClient::open(settings.text("data-dir"));
  return AdminClient::open_kubeconfig(kubeconfig, kRequestTimeout);
}

template <typename Take>
Result<void> each(const client::BoundedClient& client, std::string_view group,
                  std::string_view resource, const Take& take) {
  const client::Place place{.resource = api::builtin_schema().find_resource(group, "v1", resource),
                            .name_space = {},
                            .name = {},
                            .subresource = {}};
  client::ListQuery query{.label_selector = {},
                          .field_selector = {},
                          .resource_version = {},
                          .limit = kPage,
                          .continue_token = {}};
  do {
    client::ObjectList page = TRY(client.list(place, query));
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

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  dns::Type type = dns::Type::kA;
  dns::parse_type(settings.text("type"), type);
  const auto cluster = TRY(open(settings));
  SystemClock clock;
  dns::Index index;
  const Result<void> loaded = load(cluster->client(), index);
  if (!loaded.ok()) return cluster->explain(loaded.status());
  const ClusterDns own =
      TRY(find_cluster_dns(cluster->client().unbounded(), clock, Duration::zero()));
  const dns::Zone zone =
      TRY(dns::Zone::make({.domain = settings.text("cluster-domain"), .servers = own.addresses}));
  const std::string& given = settings.text("namespace");
  const std::string name_space =
      given.empty() ? (cluster->name_space().empty() ? "default" : cluster->name_space()) : given;
  terminal.out(TRY(dns::explain(
      index, zone, {.name = invocation.arguments[0], .type = type, .name_space = name_space})));
  return {};
}

Result<void> check(const Invocation& invocation) {
  dns::Type type = dns::Type::kA;
  const std::string& text = invocation.settings.text("type");
  if (dns::parse_type(text, type)) return {};
  return Status(Reason::kInvalid, "--type must be a record type such as A or SRV, not " + text);
}

}  // namespace dns_query

Command dns_command() {
  Command query{
      .name = "query",
      .summary = "Explain which record answers a name in the cluster, and why.",
      .description =
          "Reads Services and EndpointSlices, and looks the name up as nodes do: each name that\n"
          "the resolver of a pod would try, until one has an answer. Read-only. Names outside of\n"
          "the cluster are not asked for.",
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
                 .fallback = "cluster.local",
                 .summary = "DNS domain of Services"},
                kubeconfig_flag(),
                data_dir_flag()},
      .run = dns_query::run,
      .check = dns_query::check};
  return {
      .name = "dns", .summary = "Look at names of the cluster.", .commands = {std::move(query)}};
}

}  // namespace proa::cli

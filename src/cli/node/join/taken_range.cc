#include "cli/node/join/taken_range.h"

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "kubelet/node/agent/node_object.h"

namespace proa::cli {

Result<void> refuse_taken_range(const client::BoundedClient& client,
                                const kubelet::KubeletOptions& options) {
  if (options.pod_cidrs.empty()) return {};
  const std::string node = TRY(kubelet::make_node(options, options.pod_cidrs, {}));
  const client::Place place{.resource = api::builtin_schema().find_resource("", "v1", "nodes"),
                            .name_space = {},
                            .name = options.node_name.str(),
                            .subresource = {}};
  const auto created =
      client.create(place, json::parse_literal(node), {.dry_run = true, .field_manager = {}});
  if (created.ok() || created.is(Reason::kAlreadyExists)) return {};
  // A node that may not create its Node may still have one.
  if (created.is(Reason::kForbidden) && client.get(place).ok()) return {};
  if (!created.is(Reason::kForbidden) && !created.is(Reason::kInvalid)) return created.status();
  return Status(created.status().reason(), created.status().message() +
                                               "; choose another --pod-cidr, or omit it to be "
                                               "given a free one");
}

}  // namespace proa::cli

#include "apiserver/resources/virtual/bindings.h"

#include "apiserver/resources/subresources/binding.h"

namespace proa::apiserver {

Result<Answer> create_binding(const ApiContext& context, Call& call) {
  const Request& request = call.request;
  Posted posted = TRY(read_posted(context, *request.resource->type, call));
  // Upstream ignores the uid precondition on this path.
  api::Edit(posted.document).object("metadata").remove("uid");
  Request pod = request;
  pod.resource = context.schema.find_resource("", "v1", "pods");
  pod.subresource = pod.resource->find_subresource("binding");
  pod.name = posted.view()["metadata"]["name"].text();
  if (pod.name.empty()) return Status(Reason::kBadRequest, "Name parameter required.");
  TRY(check_binding(pod, posted));
  TRY(validate_posted(context, request, posted));
  return bind_pod(context, pod, posted);
}

}  // namespace proa::apiserver

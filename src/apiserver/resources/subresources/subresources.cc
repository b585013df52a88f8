#include "apiserver/resources/subresources/subresources.h"

#include "apiserver/resources/subresources/binding.h"
#include "apiserver/resources/subresources/eviction.h"
#include "apiserver/resources/subresources/scale.h"
#include "apiserver/resources/subresources/token.h"

namespace proa::apiserver {
namespace subresources {

struct Entry {
  std::string_view name;
  Result<Outgoing> (*run)(const ApiContext& context, const Request& request,
                          const Incoming& incoming);
};

// Adding one: a unit beside this one, and a line here.
constexpr Entry kEntries[] = {
    {"binding", run_binding},
    {"eviction", run_eviction},
    {"scale", run_scale},
    {"token", run_token},
};

}  // namespace subresources

Result<Outgoing> run_subresource(const ApiContext& context, const Request& request,
                                 const Incoming& incoming) {
  for (const subresources::Entry& entry : subresources::kEntries) {
    if (entry.name == request.subresource->name) return entry.run(context, request, incoming);
  }
  return Status(Reason::kNotFound, "the server could not find the requested resource");
}

}  // namespace proa::apiserver

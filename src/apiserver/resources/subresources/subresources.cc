#include "apiserver/resources/subresources/subresources.h"

#include "apiserver/request/failures.h"
#include "apiserver/resources/subresources/binding.h"
#include "apiserver/resources/subresources/eviction.h"
#include "apiserver/resources/subresources/scale.h"
#include "apiserver/resources/subresources/token.h"

namespace proa::apiserver {
namespace subresources {

struct Entry {
  std::string_view name;
  Result<Answer> (*run)(const ApiContext& context, Call& call);
};

// To add one: a unit in this folder, and a line here.
constexpr Entry kEntries[] = {
    {"binding", run_binding},
    {"eviction", run_eviction},
    {"scale", run_scale},
    {"token", run_token},
};

}  // namespace subresources

Result<Answer> run_subresource(const ApiContext& context, Call& call) {
  for (const subresources::Entry& entry : subresources::kEntries) {
    if (entry.name == call.request.subresource->name) return entry.run(context, call);
  }
  return no_such_resource();
}

}  // namespace proa::apiserver

#include "cel/functions/libraries.h"

#include <algorithm>
#include <map>

#include "base/threads/mutex.h"
#include "cel/functions/tables.h"

namespace proa::cel {
namespace libraries {

struct Library {
  int since;  // the minor version of Kubernetes
  std::span<const FunctionRow> (*rows)();
};

constexpr Library kLibraries[] = {
    {0, operator_rows},
    {0, comparison_rows},
    {0, conversion_rows},
    {0, string_rows},
    {0, time_rows},
    {0, kubernetes_url_rows},
    {0, kubernetes_regex_rows},
    {0, kubernetes_list_rows},
    {27, kubernetes_authorizer_rows},
    {28, optional_rows},
    {28, kubernetes_quantity_rows},
    {0, extension_string_rows},
    {29, quote_rows},
    {29, format_rows},
    {29, set_rows},
    {30, kubernetes_network_rows},
    {31, kubernetes_format_rows},
    {31, kubernetes_selector_rows},
    {32, map_insert_rows},
    {33, kubernetes_semver_rows},
    {34, extension_list_rows},
};

struct TypeName {
  int since;
  std::string_view name;
  const Type* type;
};

constexpr const Type* kOfDyn[] = {&types::kDyn, &types::kDyn};
constexpr Type kListOfDyn{.kind = TypeKind::kList, .parameters = std::span(kOfDyn).first<1>()};
constexpr Type kMapOfDyn{.kind = TypeKind::kMap, .parameters = kOfDyn};

constexpr TypeName kTypes[] = {
    {0, "bool", &types::kBool},
    {0, "bytes", &types::kBytes},
    {0, "double", &types::kDouble},
    {0, "google.protobuf.Duration", &types::kDuration},
    {0, "int", &types::kInt},
    {0, "list", &kListOfDyn},
    {0, "map", &kMapOfDyn},
    {0, "null_type", &types::kNull},
    {0, "string", &types::kString},
    {0, "google.protobuf.Timestamp", &types::kTimestamp},
    {0, "type", &types::kType},
    {0, "uint", &types::kUint},
    {28, kOptionalName, &types::kOptional},
    {30, kIpType.name, &kIpType},
    {30, kCidrType.name, &kCidrType},
};

std::shared_ptr<const Declarations> build(int minor_version, Libraries libraries) {
  auto declarations = std::make_shared<Declarations>();
  for (const TypeName& name : kTypes) {
    if (name.since <= minor_version) declarations->add_type(name.name, name.type);
  }
  for (const Library& library : kLibraries) {
    if (library.since <= minor_version) declarations->add(library.rows());
  }
  if (libraries == Libraries::kWithJsonPatch) declarations->add(kubernetes_json_patch_rows());
  if (libraries == Libraries::kWithIncludes) declarations->add(kubernetes_includes_rows());
  return declarations;
}

}  // namespace libraries

std::shared_ptr<const Declarations> kubernetes_declarations(int minor_version,
                                                            Libraries libraries) {
  using Key = std::pair<int, Libraries>;
  static Mutex mutex;
  static std::map<Key, std::shared_ptr<const Declarations>> cache;
  const MutexLock lock(mutex);
  std::shared_ptr<const Declarations>& entry = cache[Key(minor_version, libraries)];
  if (entry == nullptr) entry = libraries::build(minor_version, libraries);
  return entry;
}

}  // namespace proa::cel

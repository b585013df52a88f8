#include "cel/admission/environment.h"

#include "base/check.h"
#include "cel/expression/compile.h"
#include "cel/functions/kubernetes/authorizer.h"

namespace proa::cel {
namespace admission_environment_tables {

using Field = Environment::Field;

constexpr int kMinorVersion = 36;

struct Struct {
  std::string_view name;
  std::span<const Field> fields;
};

constexpr Field kGroupVersionKind[] = {
    {"group", "string"}, {"version", "string"}, {"kind", "string"}};
constexpr Field kGroupVersionResource[] = {
    {"group", "string"}, {"version", "string"}, {"resource", "string"}};
constexpr Field kUserInfo[] = {{"username", "string"},
                               {"uid", "string"},
                               {"groups", "list(string)"},
                               {"extra", "map(string, list(string))"}};
constexpr Field kRequest[] = {
    {"kind", "kubernetes.GroupVersionKind"},
    {"resource", "kubernetes.GroupVersionResource"},
    {"subResource", "string"},
    {"requestKind", "kubernetes.GroupVersionKind"},
    {"requestResource", "kubernetes.GroupVersionResource"},
    {"requestSubResource", "string"},
    {"name", "string"},
    {"namespace", "string"},
    {"operation", "string"},
    {"userInfo", "kubernetes.UserInfo"},
    {"dryRun", "bool"},
    {"options", "dyn"},
};
constexpr Field kNamespaceSpec[] = {{"finalizers", "list(string)"}};
constexpr Field kNamespaceCondition[] = {{"status", "string"},
                                         {"type", "string"},
                                         {"lastTransitionTime", "timestamp"},
                                         {"message", "string"},
                                         {"reason", "string"}};
constexpr Field kNamespaceStatus[] = {{"conditions", "list(kubernetes.NamespaceCondition)"},
                                      {"phase", "string"}};
// Fields as upstream names them: the uid is not among them, but a UID that no Namespace has.
constexpr Field kNamespaceMetadata[] = {
    {"name", "string"},
    {"generateName", "string"},
    {"namespace", "string"},
    {"labels", "map(string, string)"},
    {"annotations", "map(string, string)"},
    {"UID", "string"},
    {"creationTimestamp", "timestamp"},
    {"deletionGracePeriodSeconds", "int"},
    {"deletionTimestamp", "timestamp"},
    {"generation", "int"},
    {"resourceVersion", "string"},
    {"finalizers", "list(string)"},
};
constexpr Field kNamespace[] = {{"metadata", "kubernetes.NamespaceMetadata"},
                                {"spec", "kubernetes.NamespaceSpec"},
                                {"status", "kubernetes.NamespaceStatus"}};

constexpr Struct kStructs[] = {
    {"kubernetes.GroupVersionKind", kGroupVersionKind},
    {"kubernetes.GroupVersionResource", kGroupVersionResource},
    {"kubernetes.UserInfo", kUserInfo},
    {"kubernetes.AdmissionRequest", kRequest},
    {"kubernetes.NamespaceSpec", kNamespaceSpec},
    {"kubernetes.NamespaceCondition", kNamespaceCondition},
    {"kubernetes.NamespaceStatus", kNamespaceStatus},
    {"kubernetes.NamespaceMetadata", kNamespaceMetadata},
    {"kubernetes.Namespace", kNamespace},
    {kVariablesTypeName, {}},
};

constexpr Field kJsonPatch[] = {
    {"op", "string"}, {"path", "string"}, {"from", "string"}, {"value", "dyn"}};

void add_shaped(Environment& environment, std::string_view name, const Shape* shape) {
  // Upstream knows nothing of what expressions would not see, too.
  if (shape != nullptr && environment.add_variable(name, *shape)) return;
  environment.add_variable(name, "dyn");
}

}  // namespace admission_environment_tables

Environment admission_environment(const AdmissionVariables& variables,
                                  const AdmissionShapes& shapes) {
  namespace tables = admission_environment_tables;
  Environment made = kubernetes_environment(
      tables::kMinorVersion, variables.patch_types ? Libraries::kWithJsonPatch : Libraries::kBase);
  for (const tables::Struct& structure : tables::kStructs) {
    CHECK(made.add_struct(structure.name, structure.fields));
  }
  tables::add_shaped(made, "object", shapes.object);
  tables::add_shaped(made, "oldObject", shapes.object);
  made.add_variable("namespaceObject", "kubernetes.Namespace");
  made.add_variable("request", "kubernetes.AdmissionRequest");
  if (variables.variables) made.add_variable("variables", kVariablesTypeName);
  if (variables.params) tables::add_shaped(made, "params", shapes.params);
  if (variables.authorizer) {
    made.add_variable("authorizer", kAuthorizerTypeName);
    made.add_variable("authorizer.requestResource", kResourceCheckTypeName);
  }
  if (variables.patch_types) {
    CHECK(made.add_struct("JSONPatch", tables::kJsonPatch));
    made.allow_making("JSONPatch");
    made.allow_free_struct("Object");
  }
  return made;
}

}  // namespace proa::cel

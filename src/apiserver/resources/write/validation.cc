#include "apiserver/resources/write/validation.h"

#include <cctype>

#include "api/validation/metadata.h"
#include "apiserver/objects/conversion.h"
#include "apiserver/resources/write/custom.h"
#include "kinds/kinds.h"

namespace proa::apiserver {
namespace validation {

using api::FieldErrors;
using api::View;

const kinds::KindRules& rules_of(const api::Resource& resource) {
  return kinds::find_rules(resource);
}

// Upstream validates what is stored, but Events also by the version of the request.
const kinds::KindRules& rules_of(const Request& request) {
  const kinds::KindRules& served = rules_of(*request.resource);
  return served.validates_as_served ? served : rules_of(*request.resource->stored);
}

bool is_converted(const Request& request) {
  return request.resource->is_converted() && rules_of(*request.resource).validates_as_served;
}

const api::Type& type_of(const Request& request) {
  return is_converted(request) ? *request.resource->type : *request.resource->stored->type;
}

// One letter of kinds::MetadataChecks. `old` is absent for a new object.
void check(char letter, const Request& request, View metadata, View old, FieldErrors& errors) {
  const api::Path path("metadata");
  const bool qualified = std::isupper(static_cast<unsigned char>(letter)) != 0;
  if (letter == 'U' || letter == 'u') {
    api::validate_metadata_update(metadata, old, path, errors, qualified);
  } else {
    api::validate_metadata(metadata,
                           {.name = rules_of(request).name,
                            .namespaced = request.resource->namespaced,
                            .qualified_finalizers = qualified,
                            .generate_name = letter != 'N'},
                           path, errors);
  }
}

// The checks of all kinds: names need only be segments of a path.
void check_generally(const Request& request, View metadata, FieldErrors& errors) {
  api::validate_metadata(metadata,
                         {.name = api::check_path_segment,
                          .namespaced = request.resource->namespaced,
                          .qualified_finalizers = false},
                         api::Path("metadata"), errors);
}

// Upstream's checks of a part of an object.
std::string_view checks_of(const Request& request) {
  const kinds::MetadataChecks& checks = rules_of(request).metadata;
  if (request.subresource == nullptr || request.resource->custom) return checks.update;
  const std::string_view name = request.subresource->name;
  if (name == "status") return checks.status;
  if (name == "ephemeralcontainers" || name == "resize") return "UM";
  return name == "approval" ? "MU" : "U";
}

// Nearly all metadata is right: it is checked once, by the strictest rules, and only if that fails
// as upstream does it.
bool is_right(const Request& request, View metadata, View old) {
  FieldErrors errors;
  check('M', request, metadata, old, errors);
  if (old) api::validate_immutable_metadata(metadata, old, api::Path("metadata"), errors);
  return errors.empty();
}

void validate_whole(const kinds::KindRules& kind, View object, View old, FieldErrors& errors) {
  const bool updates = kind.validate_update != nullptr;
  if (updates && kind.update_comes_first) kind.validate_update(object, old, errors);
  if (kind.validate != nullptr) kind.validate(object, errors);
  const bool again = kind.validate_again != nullptr && !errors.empty();
  if (again) kind.validate_again(object, errors);
  if (updates && !kind.update_comes_first) kind.validate_update(object, old, errors);
}

Status failure(const Request& request, const FieldErrors& errors, View object) {
  const api::Resource& stored = *request.resource->stored;
  const api::Resource& named = request.resource->group == stored.group ? *request.resource : stored;
  return errors.to_status(named.group, named.type->name, object["metadata"]["name"].text());
}

}  // namespace validation

Result<void> validate_new(const ApiContext& context, const Request& request,
                          const json::Document& document) {
  using namespace validation;
  FieldErrors errors;
  errors.about(type_of(request));
  const kinds::KindRules& rules = rules_of(request);
  const json::Document served =
      is_converted(request) ? TRY(from_working(document, *request.resource)) : json::Document();
  const View object = is_converted(request) ? served.root() : document.root();
  if (rules.validate_first != nullptr) rules.validate_first(object, errors);
  if (!errors.empty()) return failure(request, errors, object);
  const View metadata = object["metadata"];
  const bool right = is_right(request, metadata, {});
  if (!right) {
    for (const char letter : rules.metadata.create) check(letter, request, metadata, {}, errors);
  }
  if (rules.validate != nullptr) rules.validate(object, errors);
  if (rules.validate_create != nullptr) rules.validate_create(object, errors);
  TRY(validate_custom(request, document.root(), nullptr, budget_of(context, request), errors));
  // As upstream, only if there is nothing more special to say.
  if (!right && errors.empty()) check_generally(request, metadata, errors);
  if (errors.empty()) return {};
  return failure(request, errors, object);
}

Result<void> validate_changed(const ApiContext& context, const Request& request,
                              const UpdateRules& rules, const json::Document& document,
                              const json::Document& old_document) {
  using namespace validation;
  FieldErrors errors;
  errors.about(type_of(request));
  const kinds::KindRules& kind = rules_of(request);
  const bool converted = is_converted(request);
  const json::Document served =
      converted ? TRY(from_working(document, *request.resource)) : json::Document();
  const json::Document old_served =
      converted ? TRY(from_working(old_document, *request.resource)) : json::Document();
  const View object = converted ? served.root() : document.root();
  const View old = converted ? old_served.root() : old_document.root();
  const bool whole = request.subresource == nullptr;
  if (whole && kind.validate_first != nullptr) kind.validate_first(object, errors);
  if (!errors.empty()) return failure(request, errors, object);
  if (!is_right(request, object["metadata"], old["metadata"])) {
    check_generally(request, object["metadata"], errors);
    check('u', request, object["metadata"], old["metadata"], errors);
    for (const char letter : checks_of(request)) {
      check(letter, request, object["metadata"], old["metadata"], errors);
    }
  }
  if (rules.validate != nullptr) rules.validate(object, old, errors);
  if (whole) validate_whole(kind, object, old, errors);
  TRY(validate_custom(request, document.root(), &old_document.root(), budget_of(context, request),
                      errors));
  if (errors.empty()) return {};
  return failure(request, errors, object);
}

}  // namespace proa::apiserver

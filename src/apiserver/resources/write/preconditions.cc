#include "apiserver/resources/write/preconditions.h"

#include "api/validation/field_errors.h"
#include "api/validation/go_text.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace preconditions {

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";
constexpr std::string_view kKeyPrefix = "/registry";

}  // namespace preconditions

Result<void> settle_namespace(const Request& request, api::Edit object) {
  const std::string_view name_space = object["metadata"]["namespace"].text();
  const std::string_view wanted =
      request.resource->namespaced ? std::string_view(request.name_space) : std::string_view();
  if (name_space == wanted) return {};
  if (!name_space.empty() && !wanted.empty()) {
    return Status(Reason::kBadRequest,
                  "the namespace of the provided object does not match the namespace sent on the "
                  "request");
  }
  const api::Edit metadata = object.object("metadata");
  if (wanted.empty()) {
    metadata.remove("namespace");
  } else {
    metadata.set("namespace", wanted);
  }
  return {};
}

Result<void> check_object_name(const Request& request, api::View object) {
  const std::string name(object["metadata"]["name"].text());
  if (name == request.name) return {};
  if (name.empty()) {
    return Status(Reason::kBadRequest, "the name of the object (" + request.name +
                                           " based on URL) was undeterminable: name must be "
                                           "provided");
  }
  return Status(Reason::kBadRequest, "the name of the object (" + name +
                                         ") does not match the name on the URL (" + request.name +
                                         ")");
}

Status failed_precondition(const Request& request, const std::string& what,
                           const std::string& wanted, const std::string& found, bool dry_run) {
  std::string key = key_of(*request.resource->stored, request.name_space, request.name);
  if (dry_run) key.erase(0, preconditions::kKeyPrefix.size());
  return request.conflict("StorageError: invalid object, Code: 4, Key: " + key +
                          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + what +
                          " in precondition: " + wanted + ", " + what +
                          " in object meta: " + found);
}

Result<void> check_object_uid(const Request& request, api::View object, api::View old,
                              bool dry_run) {
  const std::string uid(object["metadata"]["uid"].text());
  const std::string stored(old["metadata"]["uid"].text());
  if (uid.empty() || uid == stored) return {};
  return failed_precondition(request, "UID", uid, stored, dry_run);
}

Result<void> check_resource_version(const Request& request, api::View object, api::View old) {
  const std::string_view text = object["metadata"]["resourceVersion"].text();
  const std::optional<uint64_t> version = text.empty() ? 0 : parse_uint(text);
  if (!version) {
    return Status(Reason::kBadRequest,
                  "strconv.ParseUint: parsing " + api::quoted(text) + ": invalid syntax");
  }
  if (*version == 0) {
    if (request.resource->unconditional_update) return {};
    api::FieldErrors errors;
    errors.invalid(api::Path("metadata.resourceVersion"), int64_t{0},
                   "must be specified for an update");
    // As upstream, the resource is in the place of the kind.
    return errors.to_status(request.resource->group, request.resource->name, request.name);
  }
  if (std::to_string(*version) == old["metadata"]["resourceVersion"].text()) return {};
  return request.conflict(preconditions::kModified);
}

}  // namespace proa::apiserver

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/resource.h"
#include "api/schema/schema.h"
#include "apiserver/representation/openapi/naming.h"
#include "apiserver/representation/openapi/parameters.h"

// What can be asked of a resource, as both versions of OpenAPI tell it.

namespace proa::apiserver {

// In the order of the alphabet.
enum class Method : uint8_t { kDelete, kGet, kHead, kOptions, kPatch, kPost, kPut };
std::string_view method_name(Method method);  // "delete"

using MediaTypes = std::span<const std::string_view>;

struct ApiOperation {
  struct Answer {
    int code = 200;
    const api::Type* type = nullptr;  // null: plain text
  };

  Method method = Method::kGet;
  std::string id;  // unique in the API: "readAppsV1NamespacedDeployment"
  std::string description;
  std::string_view action;          // "list"; empty for what is about no kind
  const api::Type* kind = nullptr;  // what it is about
  std::vector<Parameter> parameters;
  const api::Type* body = nullptr;
  bool body_required = false;
  MediaTypes consumes;
  MediaTypes produces;
  std::vector<Answer> answers;
};

struct PathItem {
  std::string path;
  std::string tag;
  std::vector<ApiOperation> operations;

  // Those that all operations have, by name; the others stay with their operations, by name too.
  std::vector<Parameter> take_common_parameters();
};

// The types of answers and bodies that all resources share.
struct CommonTypes {
  explicit CommonTypes(const api::Schema& schema);

  const api::Type& status;
  const api::Type& delete_options;
  const api::Type& patch;
  const api::Type& watch_event;
  const api::Type& resource_list;
  const api::Type& group;
  const api::Type& group_list;
  const api::Type& versions;
  const api::Type& version_info;
  const api::Type& log_options;
};

// The paths of a resource and its subresources.
std::vector<PathItem> paths_of(const api::Resource& resource, const CommonTypes& types);

// A path that is only read, and is about no kind. A null answer is plain text.
PathItem plain_path(std::string path, std::string tag, std::string id, std::string description,
                    MediaTypes produces, const api::Type* answer);

// In which an object can be had; what has no protobuf form is not offered in it.
MediaTypes object_media(bool has_proto);

}  // namespace proa::apiserver

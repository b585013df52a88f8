#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/resource.h"
#include "api/schema/schema.h"
#include "apiserver/representation/openapi/naming.h"
#include "apiserver/representation/openapi/parameters.h"

// The operations of a resource, independent of the OpenAPI version.

namespace proa::apiserver {

// In alphabetical order.
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
  std::string_view action;          // "list"; empty if there is no kind
  const api::Type* kind = nullptr;  // the kind it operates on
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

  // Removes and returns the parameters that all operations have, by name; the others stay, by name
  // too.
  std::vector<Parameter> take_common_parameters();
};

// Types of responses and bodies that all resources share.
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

// A read-only path without a kind. A null answer is plain text.
PathItem plain_path(std::string path, std::string tag, std::string id, std::string description,
                    MediaTypes produces, const api::Type* answer);

// The encodings of an object; includes protobuf if it has one.
MediaTypes object_media(bool has_proto);

}  // namespace proa::apiserver

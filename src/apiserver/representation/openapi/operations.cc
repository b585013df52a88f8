#include "apiserver/representation/openapi/operations.h"

#include <algorithm>

#include "base/check.h"

namespace proa::apiserver {

namespace operations {

constexpr std::string_view kAnything[] = {"*/*"};
constexpr std::string_view kObject[] = {"application/json", "application/yaml",
                                        "application/vnd.kubernetes.protobuf"};
constexpr std::string_view kStream[] = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr std::string_view kCustomStream[] = {"application/json", "application/yaml",
                                              "application/json;stream=watch"};
constexpr std::string_view kPatches[] = {
    "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
constexpr std::string_view kCustomPatches[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};
constexpr std::string_view kLog[] = {"text/plain", "application/json", "application/yaml",
                                     "application/vnd.kubernetes.protobuf"};

MediaTypes stream_media(bool has_proto) {
  return has_proto ? MediaTypes(kStream) : MediaTypes(kCustomStream);
}

// A subresource that connects to a pod, node or service.
bool is_connection(const api::Subresource& subresource) {
  return subresource.type->name.ends_with("Options");
}

// Builds the operations of one resource.
class Builder {
 public:
  Builder(const api::Resource& resource, const CommonTypes& types)
      : resource_(resource),
        types_(types),
        group_version_{.group = resource.group, .version = resource.version},
        root_(path_of(group_version_) + "/"),
        collection_(resource.namespaced ? "namespaces/{namespace}/" : ""),
        scope_(resource.namespaced ? "Namespaced" : ""),
        kind_(resource.type->name),
        id_(id_of(group_version_)),
        has_proto_(resource.type->has_proto) {
    collection_ += resource.name;
  }

  std::vector<PathItem> build() {
    if (resource_.namespaced && has(api::Verb::kList)) {
      list(start(std::string(resource_.name), false), "ForAllNamespaces");
    }
    collection();
    object();
    for (const api::Subresource& subresource : resource_.subresources) add(subresource);
    // Upstream's builder of custom resources never had the old way to watch.
    if (has(api::Verb::kWatch) && !resource_.custom) watches();
    std::erase_if(paths_, [](const PathItem& item) { return item.operations.empty(); });
    return std::move(paths_);
  }

 private:
  bool has(api::Verb verb) const { return resource_.verbs.has(verb); }

  // Starts a path, with the parameters common to its operations.
  PathItem& start(std::string path, bool named, bool pretty = true) {
    common_.clear();
    if (path.find("{namespace}") != std::string::npos) common_.push_back(kNamespaceParameter);
    if (named) common_.push_back(kNameParameter);
    if (pretty) common_.push_back(kPrettyParameter);
    return paths_.emplace_back(
        PathItem{.path = root_ + path, .tag = tag_of(group_version_), .operations = {}});
  }

  ApiOperation& add(PathItem& item, Method method, std::string id, std::string description,
                    std::string_view action) {
    ApiOperation& operation = item.operations.emplace_back();
    operation.method = method;
    operation.id = std::move(id);
    operation.description = std::move(description);
    operation.action = action;
    operation.kind = resource_.type;
    operation.parameters = common_;
    operation.consumes = kAnything;
    operation.produces = object_media(has_proto_);
    return operation;
  }

  static void allow(ApiOperation& operation, std::span<const Parameter> parameters) {
    operation.parameters.insert(operation.parameters.end(), parameters.begin(), parameters.end());
  }
  static void answer(ApiOperation& operation, std::initializer_list<int> codes,
                     const api::Type* type) {
    for (const int code : codes) operation.answers.push_back({.code = code, .type = type});
  }
  static void send(ApiOperation& operation, const api::Type& body) {
    operation.body = &body;
    operation.body_required = true;
  }
  std::string id(std::string_view verb, std::string_view rest) const {
    return std::string(verb) + id_ + std::string(rest);
  }
  // "status of the specified Deployment"
  std::string of_specified(std::string_view verb, std::string_view subresource) const {
    std::string text(verb);
    if (!subresource.empty()) text.append(" ").append(subresource).append(" of");
    return text + " the specified " + kind_;
  }

  void list(PathItem& item, std::string_view suffix) {
    const bool watched = has(api::Verb::kWatch);
    ApiOperation& operation =
        add(item, Method::kGet, id("list", (suffix.empty() ? scope_ : "") + kind_).append(suffix),
            (watched ? "list or watch objects of kind " : "list objects of kind ") + kind_, "list");
    allow(operation, list_parameters());
    answer(operation, {200}, resource_.list);
    operation.produces = stream_media(has_proto_);
  }

  void collection() {
    PathItem& item = start(collection_, false);
    if (has(api::Verb::kDeleteCollection)) {
      ApiOperation& operation =
          add(item, Method::kDelete, id("delete", "Collection" + scope_ + kind_),
              "delete collection of " + kind_, "deletecollection");
      allow(operation, delete_collection_parameters());
      operation.body = &types_.delete_options;
      answer(operation, {200}, &types_.status);
    }
    if (has(api::Verb::kList)) list(item, "");
    if (has(api::Verb::kCreate)) {
      ApiOperation& operation =
          add(item, Method::kPost, id("create", scope_ + kind_), "create a " + kind_, "post");
      create(operation, *resource_.type);
    }
  }

  static void create(ApiOperation& operation, const api::Type& type) {
    allow(operation, write_parameters());
    send(operation, type);
    answer(operation, {200, 201, 202}, &type);
    operation.kind = &type;
  }

  void object() {
    PathItem& item = start(collection_ + "/{name}", true);
    if (has(api::Verb::kDelete)) {
      ApiOperation& operation =
          add(item, Method::kDelete, id("delete", scope_ + kind_), "delete a " + kind_, "delete");
      allow(operation, delete_parameters());
      operation.body = &types_.delete_options;
      answer(operation, {200, 202}, resource_.returns_deleted ? resource_.type : &types_.status);
    }
    change(item, resource_.verbs, *resource_.type, "");
  }

  // Reads and writes of an object or subresource.
  void change(PathItem& item, api::Verbs verbs, const api::Type& type,
              std::string_view subresource) {
    const std::string name = scope_ + kind_ + capitalized(subresource);
    if (verbs.has(api::Verb::kGet)) {
      ApiOperation& operation =
          add(item, Method::kGet, id("read", name), of_specified("read", subresource), "get");
      operation.kind = &type;
      answer(operation, {200}, &type);
    }
    if (verbs.has(api::Verb::kPatch)) {
      ApiOperation& operation = add(item, Method::kPatch, id("patch", name),
                                    of_specified("partially update", subresource), "patch");
      operation.kind = &type;
      allow(operation, patch_parameters());
      send(operation, types_.patch);
      operation.consumes = has_proto_ ? MediaTypes(kPatches) : MediaTypes(kCustomPatches);
      answer(operation, {200, 201}, &type);
    }
    if (verbs.has(api::Verb::kUpdate)) {
      ApiOperation& operation =
          add(item, Method::kPut, id("replace", name), of_specified("replace", subresource), "put");
      operation.kind = &type;
      allow(operation, write_parameters());
      send(operation, type);
      answer(operation, {200, 201}, &type);
    }
  }

  void add(const api::Subresource& subresource) {
    std::string path = collection_ + "/{name}/";
    path += subresource.name;
    if (subresource.name == "log") return log(start(std::move(path), true));
    if (is_connection(subresource)) {
      connect(start(path, true, false), subresource, "");
      if (subresource.name != "proxy") return;
      PathItem& rest = start(path + "/{path}", true, false);
      common_.push_back(kPathParameter);
      return connect(rest, subresource, "WithPath");
    }
    PathItem& item = start(std::move(path), true);
    if (subresource.verbs.has(api::Verb::kCreate)) {
      ApiOperation& operation =
          add(item, Method::kPost, id("create", scope_ + kind_ + capitalized(subresource.name)),
              "create " + std::string(subresource.name) + " of a " + kind_, "post");
      create(operation, *subresource.type);
    }
    change(item, subresource.verbs, *subresource.type, subresource.name);
  }

  void log(PathItem& item) {
    ApiOperation& operation = add(item, Method::kGet, id("read", scope_ + kind_ + "Log"),
                                  of_specified("read", "log"), "get");
    allow(operation, parameters_of(types_.log_options));
    operation.produces = kLog;
    answer(operation, {200}, nullptr);
  }

  void connect(PathItem& item, const api::Subresource& subresource, std::string_view suffix) {
    constexpr Method kAll[] = {Method::kDelete, Method::kGet,  Method::kHead, Method::kOptions,
                               Method::kPatch,  Method::kPost, Method::kPut};
    constexpr Method kTwo[] = {Method::kGet, Method::kPost};
    const auto methods =
        subresource.name == "proxy" ? std::span<const Method>(kAll) : std::span<const Method>(kTwo);
    for (const Method method : methods) {
      std::string upper(method_name(method));
      std::ranges::transform(upper, upper.begin(), [](char c) { return char(c - 'a' + 'A'); });
      ApiOperation& operation =
          add(item, method,
              id("connect",
                 capitalized(method_name(method)) + scope_ + kind_ + capitalized(subresource.name))
                  .append(suffix),
              "connect " + upper + " requests to " + std::string(subresource.name) + " of " + kind_,
              "connect");
      operation.kind = subresource.type;
      allow(operation, parameters_of(*subresource.type));
      operation.produces = kAnything;
      answer(operation, {200}, nullptr);
    }
  }

  void watch(std::string path, std::string name, bool one) {
    PathItem& item = start("watch/" + std::move(path), one);
    ApiOperation& operation =
        add(item, Method::kGet, id("watch", name),
            (one ? "watch changes to an object of kind " : "watch changes to objects of kind ") +
                kind_ + "; deprecated: list with the parameter watch instead",
            one ? "watch" : "watchlist");
    allow(operation, list_parameters());
    answer(operation, {200}, &types_.watch_event);
    operation.produces = stream_media(has_proto_);
  }

  void watches() {
    if (resource_.namespaced) {
      watch(std::string(resource_.name), kind_ + "ListForAllNamespaces", false);
    }
    watch(collection_, scope_ + kind_ + "List", false);
    watch(collection_ + "/{name}", scope_ + kind_, true);
  }

  const api::Resource& resource_;
  const CommonTypes& types_;
  const GroupVersion group_version_;
  const std::string root_;
  std::string collection_;
  const std::string scope_;
  const std::string kind_;
  const std::string id_;
  const bool has_proto_;
  std::vector<Parameter> common_;
  std::vector<PathItem> paths_;
};

const api::Type& find(const api::Schema& schema, std::string_view name) {
  const api::Type* type = schema.find_openapi(name);
  CHECK(type != nullptr);
  return *type;
}

const api::Type& find_meta(const api::Schema& schema, std::string_view name) {
  return find(schema, "io.k8s.apimachinery.pkg.apis.meta.v1." + std::string(name));
}

}  // namespace operations

std::string_view method_name(Method method) {
  constexpr std::string_view kNames[] = {"delete", "get",  "head", "options",
                                         "patch",  "post", "put"};
  return kNames[static_cast<size_t>(method)];
}

std::vector<Parameter> PathItem::take_common_parameters() {
  const auto by_name = [](const Parameter& a, const Parameter& b) {
    return a.name != b.name ? a.name < b.name : a.in_path > b.in_path;
  };
  std::vector<Parameter> common;
  if (operations.empty()) return common;
  for (const Parameter& parameter : operations.front().parameters) {
    const bool everywhere = std::ranges::all_of(operations, [&](const ApiOperation& operation) {
      return std::ranges::find(operation.parameters, parameter) != operation.parameters.end();
    });
    if (everywhere) common.push_back(parameter);
  }
  for (ApiOperation& operation : operations) {
    std::erase_if(operation.parameters, [&](const Parameter& parameter) {
      return std::ranges::find(common, parameter) != common.end();
    });
    std::ranges::sort(operation.parameters, by_name);
  }
  std::ranges::sort(common, by_name);
  return common;
}

CommonTypes::CommonTypes(const api::Schema& schema)
    : status(operations::find_meta(schema, "Status")),
      delete_options(operations::find_meta(schema, "DeleteOptions")),
      patch(operations::find_meta(schema, "Patch")),
      watch_event(operations::find_meta(schema, "WatchEvent")),
      resource_list(operations::find_meta(schema, "APIResourceList")),
      group(operations::find_meta(schema, "APIGroup")),
      group_list(operations::find_meta(schema, "APIGroupList")),
      versions(operations::find_meta(schema, "APIVersions")),
      version_info(operations::find(schema, "io.k8s.apimachinery.pkg.version.Info")),
      log_options(operations::find(schema, "io.k8s.api.core.v1.PodLogOptions")) {}

std::vector<PathItem> paths_of(const api::Resource& resource, const CommonTypes& types) {
  return operations::Builder(resource, types).build();
}

PathItem plain_path(std::string path, std::string tag, std::string id, std::string description,
                    MediaTypes produces, const api::Type* answer) {
  PathItem item{.path = std::move(path), .tag = std::move(tag), .operations = {}};
  ApiOperation& operation = item.operations.emplace_back();
  operation.id = std::move(id);
  operation.description = std::move(description);
  operation.produces = produces;
  if (answer != nullptr) operation.consumes = produces;
  operation.answers.push_back({.code = 200, .type = answer});
  return item;
}

MediaTypes object_media(bool has_proto) {
  return MediaTypes(operations::kObject).first(has_proto ? 3 : 2);
}

}  // namespace proa::apiserver

#include "objects.h"

#include <fmt/core.h>

namespace proa::load {
namespace objects {

constexpr size_t kObjectBytes = 1024;
// What a ConfigMap takes besides its data: names, uid, version, times.
constexpr size_t kOverhead = 230;

}  // namespace objects

std::string config_map(std::string_view name, size_t bytes, std::string_view version) {
  std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")";
  text.append(name);
  if (!version.empty()) text.append(R"(","resourceVersion":")").append(version);
  text.append(R"("},"data":{"text":")").append(bytes - objects::kOverhead, 'x').append("\"}}");
  return text;
}

std::string pod(std::string_view name) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{{"app":"shop","tier":"front","release":"stable"}}}},)"
      R"("spec":{{"nodeName":"node-17","containers":[{{"name":"main","image":"registry.example/shop/front:1.27.3",)"
      R"("args":["--listen=:8080","--upstream=cart.shop.svc"],"env":[{{"name":"MODE","value":"production"}}],)"
      R"("ports":[{{"name":"http","containerPort":8080}}],)"
      R"("resources":{{"requests":{{"cpu":"100m","memory":"64Mi"}},"limits":{{"memory":"128Mi"}}}}}}]}}}})",
      name);
}

Request create_namespace(std::string_view name) {
  return {.method = "POST",
          .path = "/api/v1/namespaces",
          .body = fmt::format(
              R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", name)};
}

Request create_node() {
  return {.method = "POST",
          .path = "/api/v1/nodes",
          .body = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"node-17"}})"};
}

std::string config_maps_path(std::string_view name_space) {
  return fmt::format("/api/v1/namespaces/{}/configmaps", name_space);
}

std::string pods_path(std::string_view name_space) {
  return fmt::format("/api/v1/namespaces/{}/pods", name_space);
}

std::string version_in(std::string_view body) {
  constexpr std::string_view kName = "\"resourceVersion\":\"";
  const size_t at = body.find(kName);
  if (at == std::string_view::npos) fail("an answer without a resourceVersion");
  const size_t from = at + kName.size();
  return std::string(body.substr(from, body.find('"', from) - from));
}

std::string object_name(size_t number) { return fmt::format("object-{:06}", number); }

Fill::Fill(Kind kind, std::string name_space, size_t count, size_t bytes, size_t slots)
    : kind_(kind), left_(count), bytes_(bytes), requests_(slots) {
  for (Request& request : requests_) {
    request.method = "POST";
    request.path = kind == Kind::kPod ? pods_path(name_space) : config_maps_path(name_space);
  }
}

const Request* Fill::next(size_t slot) {
  if (left_ == 0) return nullptr;
  const std::string name = object_name(--left_);
  requests_[slot].body = kind_ == Kind::kPod ? pod(name) : config_map(name, bytes_);
  return &requests_[slot];
}

Creates::Creates(std::string name_space, size_t slots)
    : path_(config_maps_path(name_space)), slots_(slots) {}

const Request* Creates::next(size_t slot) {
  auto& [request, made] = slots_[slot];
  if (deleting_ && made == 0) return nullptr;
  if (deleting_) --made;
  const std::string name = fmt::format("client-{}-{}", slot, made);
  request.method = deleting_ ? "DELETE" : "POST";
  request.path = deleting_ ? path_ + "/" + name : path_;
  request.body = deleting_ ? "" : config_map(name, objects::kObjectBytes);
  if (!deleting_) ++made;
  return &request;
}

Updates::Updates(const Target& target, const std::string& name_space, size_t slots)
    : slots_(slots) {
  for (size_t i = 0; i < slots; ++i) {
    Slot& slot = slots_[i];
    slot.name = object_name(i);
    const std::string path = config_maps_path(name_space) + "/" + slot.name;
    slot.version = version_in(ask(target, {.path = path}));
    slot.request.method = "PUT";
    slot.request.path = path;
  }
}

const Request* Updates::next(size_t slot) {
  auto& [request, name, version] = slots_[slot];
  request.body = config_map(name, objects::kObjectBytes, version);
  // An update that changes nothing is no write.
  request.body[request.body.size() - 8] = static_cast<char>('a' + (version.back() - '0'));
  return &request;
}

void Updates::answered(size_t slot, int status, std::string_view body) {
  Workload::answered(slot, status, body);
  slots_[slot].version = version_in(body);
}

}  // namespace proa::load

#include "apiserver/front/paths/documents.h"

#include <algorithm>

#include "apiserver/front/paths/pretty.h"
#include "apiserver/front/paths/streamed.h"
#include "apiserver/representation/media.h"
#include "apiserver/representation/status.h"
#include "apiserver/representation/yaml.h"
#include "apiserver/request/failures.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace documents {

constexpr std::string_view kAggregated = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// The requested format of a discovery document.
struct Format {
  bool aggregated = false;
  Encoding encoding = Encoding::kJson;
};

std::optional<Encoding> encoding_of(std::string_view type) {
  const auto is = [&](std::string_view other) { return equals_ignoring_case(type, other); };
  if (is(kJson) || type == "*/*" || is("application/*")) return Encoding::kJson;
  if (is(kYaml)) return Encoding::kYaml;
  if (is(kProtobuf)) return Encoding::kProtobuf;
  return std::nullopt;
}

Result<Format> format_of(std::string_view accept, bool has_aggregated) {
  const std::vector<AcceptOffer> offers = accept_offers(accept);
  if (offers.empty()) return Format{};
  for (const AcceptOffer& offer : offers) {
    const std::optional<Encoding> encoding = encoding_of(offer.type);
    if (!encoding) continue;
    if (offer.as.empty()) return Format{.aggregated = false, .encoding = *encoding};
    if (has_aggregated && offer.as == "APIGroupDiscoveryList" && offer.version == "v2" &&
        offer.group == "apidiscovery.k8s.io") {
      return Format{.aggregated = true, .encoding = *encoding};
    }
  }
  return Status(Reason::kNotAcceptable,
                "only the following media types are accepted: application/json, "
                "application/yaml, application/vnd.kubernetes.protobuf");
}

http::Response respond(const Discovery::Document& document, const Format& format,
                       const http::RequestHead& head) {
  http::Response response = json_response(200, document.json);
  std::string type = Media{.encoding = format.encoding}.content_type(false);
  if (format.aggregated) type += kAggregated;
  response.headers.set("content-type", type);
  if (!document.etag.empty()) {
    response.headers.set("cache-control", "public");
    response.headers.add("vary", "Accept");
    response.headers.add("etag", document.etag);
  }
  if (is_unchanged(document, head.headers.get("if-none-match"))) {
    response.status = 304;
    response.headers.remove("content-type");
    response.body = {};
  } else if (format.encoding == Encoding::kProtobuf) {
    response.body = document.protobuf;
  } else if (format.encoding == Encoding::kYaml) {
    response.body = as_yaml(std::move(response.body));
  }
  return response;
}

bool is_openapi(std::string_view path) { return path.starts_with("/openapi/"); }

// Upstream's aggregator serves groups by itself, whatever the method; the others are routes for
// GET.
bool answers_all_methods(std::string_view path) {
  return path == "/apis" || (path.starts_with("/apis/") && path.find('/', 6) == path.npos);
}

}  // namespace documents

DocumentPaths::Documents::Documents(const DocumentPaths& document_paths,
                                    ServedResourcesPtr served_resources,
                                    ExtensionDocumentsPtr of_others, Documents* before)
    : paths(document_paths),
      served(std::move(served_resources)),
      others(std::move(of_others)),
      openapi(paths.context_.catalogue.builtin(), served->resources, paths.version_,
              before == nullptr ? nullptr : &before->openapi) {
  if (others == nullptr) return;
  for (const ExtensionDocuments::OpenApiEntry& entry : others->openapi)
    openapi.add_foreign(entry.name, entry.url);
  for (const ExtensionDocuments::OpenApiPart& part : others->parts) {
    // Custom resources may be hidden by it, but keep their part of the document.
    const bool has_own = std::ranges::any_of(served->resources, [&](const api::Resource* each) {
      return each->group == part.group && each->version == part.version;
    });
    if (has_own) continue;
    openapi.add_foreign(part.spec);
    if (part.converted != nullptr)
      openapi.add_converted("apis/" + part.group + "/" + part.version, part.converted);
  }
}

bool DocumentPaths::Documents::are_of(const ServedResources& now,
                                      const ExtensionDocuments* others_now) const {
  if (served->number < now.number) return false;
  return others_now == nullptr || others->number >= others_now->number;
}

DocumentPaths::DocumentPaths(const Context& context, std::string server_address,
                             std::string version)
    : context_(context), server_address_(std::move(server_address)), version_(std::move(version)) {}

std::shared_ptr<DocumentPaths::Documents> DocumentPaths::current() {
  ServedResourcesPtr served = context_.catalogue.served();
  ExtensionDocumentsPtr others =
      context_.aggregation == nullptr ? nullptr : context_.aggregation->documents();
  MutexLock lock(mutex_);
  if (documents_ == nullptr || !documents_->are_of(*served, others.get())) {
    documents_ =
        std::make_shared<Documents>(*this, std::move(served), std::move(others), documents_.get());
  }
  return documents_;
}

bool DocumentPaths::takes_long(const http::Target& target) const {
  return documents::is_openapi(path_of(target));
}

std::optional<http::Response> DocumentPaths::answer(const http::RequestHead& head,
                                                    const http::Target& target) {
  const std::string path = path_of(target);
  if (path != "/api" && path != "/apis" && !path.starts_with("/api/") &&
      !path.starts_with("/apis/")) {
    return std::nullopt;
  }
  std::optional<http::Response> response = answer_discovery(*current(), head, path);
  if (response && wants_pretty(head, target)) make_pretty(*response);
  return response;
}

void DocumentPaths::answer_long(const http::ExchangePtr& exchange, const http::Target& target) {
  const http::Headers& asked = exchange->request().headers;
  const std::string* hash = target.find("hash");
  const std::shared_ptr<Documents> made = current();
  OpenApi::Response found =
      made->openapi.answer({.path = path_of(target),
                            .hash = hash == nullptr ? std::string_view() : *hash,
                            .accept = asked.get("accept"),
                            .if_none_match = asked.get("if-none-match"),
                            .now = context_.clock.now(),
                            // What is compressed is compressed as a whole.
                            .in_parts = exchange->request().method == "GET" &&
                                        !asked.accepts("accept-encoding", "gzip")});
  http::Headers headers;
  for (const auto& [name, value] : found.headers) headers.add(name, value);
  if (!headers.has("cache-control")) headers.add("cache-control", "no-cache, private");
  if (found.parts == nullptr) {
    exchange->respond({.status = found.code,
                       .headers = std::move(headers),
                       .body = std::move(found.body),
                       .trailers = {}});
    return;
  }
  answer_in_parts(exchange, {found.code, std::move(headers)},
                  [made, document = std::shared_ptr(std::move(found.parts))](
                      std::string& out, size_t bytes) { return document->next(out, bytes); });
}

const Discovery& DocumentPaths::Documents::discovery() {
  std::call_once(made_, [this] {
    const std::span<const RemoteVersion> remotes =
        others == nullptr ? std::span<const RemoteVersion>() : others->versions;
    discovery_.emplace(paths.context_.catalogue.builtin(), served->resources, paths.server_address_,
                       remotes);
  });
  return *discovery_;
}

const Discovery::Document* DocumentPaths::Documents::find(const std::string& path,
                                                          bool aggregated) {
  const Discovery& discovery = this->discovery();
  if (path == "/api") {
    return aggregated ? &discovery.aggregated_core() : &discovery.api_versions();
  }
  if (path == "/apis") return aggregated ? &discovery.aggregated_groups() : &discovery.groups();
  const bool core = path.starts_with("/api/");
  const std::string_view rest = std::string_view(path).substr(core ? 5 : 6);
  const bool one_segment = rest.find('/') == std::string_view::npos;
  if (core) return one_segment ? discovery.find_resources(rest) : nullptr;
  return one_segment ? discovery.find_group(rest) : discovery.find_resources(rest);
}

std::optional<http::Response> DocumentPaths::answer_discovery(Documents& made,
                                                              const http::RequestHead& head,
                                                              const std::string& path) {
  // Upstream has no routes for unknown groups.
  if (path.starts_with("/apis/")) {
    const std::string_view rest = std::string_view(path).substr(6);
    if (made.discovery().find_group(rest.substr(0, rest.find('/'))) == nullptr) return std::nullopt;
  }
  if (made.find(path, false) == nullptr) return status_response(no_such_resource());
  if (head.method != "GET" && !documents::answers_all_methods(path)) {
    return status_response(method_not_allowed());
  }
  const bool root = path == "/api" || path == "/apis";
  const Result<documents::Format> format = documents::format_of(head.headers.get("accept"), root);
  if (!format) return status_response(format.status());
  return documents::respond(*made.find(path, format->aggregated), *format, head);
}

}  // namespace proa::apiserver

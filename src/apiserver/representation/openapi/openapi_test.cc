#include "apiserver/representation/openapi/openapi.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "custom/definition/definition.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace {

using api::View;

constexpr std::string_view kOldProtobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

class OpenApiTest : public testing::Test {
 protected:
  static std::string header(const OpenApi::Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "";
  }
  static json::Document parsed(const OpenApi::Response& response) {
    auto document = json::parse(response.body.view());
    CHECK(document.ok());
    return std::move(*document);
  }
  // The hash in the index.
  std::string hash_of(std::string_view name) {
    const json::Document index = parsed(api_.answer({.path = "/openapi/v3"}));
    const std::string_view url = View(index.root())["paths"][name]["serverRelativeURL"].text();
    return std::string(url.substr(url.find("hash=") + 5));
  }

  OpenApi api_{api::builtin_schema(), api::builtin_schema().resources()};
};

TEST_F(OpenApiTest, ListsItsDocuments) {
  const OpenApi::Response response = api_.answer({.path = "/openapi/v3"});
  ASSERT_EQ(response.code, 200);
  EXPECT_EQ(header(response, "Content-Type"), "application/json");
  const json::Document index = parsed(response);
  const View paths = View(index.root())["paths"];
  for (const std::string_view name :
       {"api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "apis/rbac.authorization.k8s.io/v1",
        "version", ".well-known/openid-configuration"}) {
    SCOPED_TRACE(name);
    const std::string_view url = paths[name]["serverRelativeURL"].text();
    const std::string start = "/openapi/v3/" + std::string(name) + "?hash=";
    ASSERT_TRUE(url.starts_with(start)) << url;
    EXPECT_EQ(url.size(), start.size() + 128);
    EXPECT_EQ(url.find_first_not_of("0123456789ABCDEF", start.size()), std::string_view::npos);
  }
}

TEST_F(OpenApiTest, AnswersForeverWhenAskedByHash) {
  const std::string hash = hash_of("apis/apps/v1");
  const OpenApi::Response response = api_.answer({.path = "/openapi/v3/apis/apps/v1",
                                                  .hash = hash,
                                                  .now = *parse_time("2026-03-04T05:06:07Z")});
  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(header(response, "Cache-Control"), "public, immutable");
  EXPECT_EQ(header(response, "Expires"), "Thu, 04 Mar 2027 05:06:07 GMT");
  EXPECT_EQ(header(response, "Etag"), "\"" + hash + "\"");
  EXPECT_EQ(header(response, "Vary"), "Accept");
  const json::Document document = parsed(response);
  const View root = document.root();
  EXPECT_EQ(root["openapi"].text(), "3.0.0");
  EXPECT_TRUE(root["components"]["schemas"]["io.k8s.api.apps.v1.Deployment"].exists());
  EXPECT_FALSE(root["components"]["schemas"]["io.k8s.api.core.v1.Node"].exists());
}

TEST_F(OpenApiTest, DoesNotPromiseAnythingWithoutAHash) {
  const OpenApi::Response response = api_.answer({.path = "/openapi/v3/apis/apps/v1"});
  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(header(response, "Cache-Control"), "");
  EXPECT_EQ(header(response, "Etag"), "\"" + hash_of("apis/apps/v1") + "\"");
}

TEST_F(OpenApiTest, SendsThoseWithAnOldHashToTheNewOne) {
  const OpenApi::Response response =
      api_.answer({.path = "/openapi/v3/apis/apps/v1", .hash = "OLD"});
  EXPECT_EQ(response.code, 301);
  EXPECT_EQ(header(response, "Location"),
            "/openapi/v3/apis/apps/v1?hash=" + hash_of("apis/apps/v1"));
  EXPECT_EQ(header(response, "Etag"), "\"" + hash_of("apis/apps/v1") + "\"");
  EXPECT_EQ(header(response, "Content-Type"), "application/json");
  EXPECT_TRUE(response.body.empty());
}

TEST_F(OpenApiTest, SendsNothingToThoseWhoHaveIt) {
  for (const std::string_view path : {"/openapi/v2", "/openapi/v3", "/openapi/v3/apis/apps/v1"}) {
    SCOPED_TRACE(path);
    const std::string tag = header(api_.answer({.path = path}), "Etag");
    const OpenApi::Response same = api_.answer({.path = path, .if_none_match = tag});
    EXPECT_EQ(same.code, 304);
    EXPECT_TRUE(same.body.empty());
    EXPECT_EQ(header(same, "Etag"), tag);
    EXPECT_EQ(header(same, "Content-Type"), "");
    EXPECT_EQ(api_.answer({.path = path, .if_none_match = "\"other\""}).code, 200);
  }
}

TEST_F(OpenApiTest, RefusesWhatItCannotGive) {
  EXPECT_EQ(api_.answer({.path = "/openapi/v3/apis/nothing/v1"}).code, 404);
  EXPECT_EQ(api_.answer({.path = "/openapi/v3/"}).code, 404);
  EXPECT_EQ(api_.answer({.path = "/openapi/v1"}).code, 404);
  EXPECT_EQ(api_.answer({.path = "/openapi/v3/api/v1", .accept = "text/html"}).code, 406);
  EXPECT_EQ(api_.answer({.path = "/openapi/v2", .accept = "text/html"}).code, 406);
  EXPECT_EQ(api_.answer({.path = "/openapi/v3/api/v1",
                         .accept = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"})
                .code,
            406);
}

// kubectl uses this to decide whether the server validates fields.
TEST_F(OpenApiTest, OffersFieldValidationToPatches) {
  constexpr std::string_view kPath = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
  for (const std::string_view source : {"/openapi/v2", "/openapi/v3/apis/apps/v1"}) {
    SCOPED_TRACE(source);
    const json::Document document = parsed(api_.answer({.path = source}));
    const View patch = View(document.root())["paths"][kPath]["patch"];
    EXPECT_EQ(patch["x-kubernetes-group-version-kind"]["kind"].text(), "Deployment");
    std::string names;
    for (const View parameter : patch["parameters"].items()) {
      names += std::string(parameter["name"].text("shared")) + " ";
    }
    EXPECT_NE(names.find("dryRun "), std::string::npos);
    EXPECT_NE(names.find("fieldValidation "), std::string::npos);
  }
}

TEST_F(OpenApiTest, ReferencesNothingThatIsNotThere) {
  for (const std::string_view source : {"/openapi/v2", "/openapi/v3/api/v1"}) {
    SCOPED_TRACE(source);
    const OpenApi::Response response = api_.answer({.path = source});
    const json::Document document = parsed(response);
    constexpr std::string_view kReference = "\"$ref\":\"#/";
    const std::string_view text = response.body.view();
    size_t count = 0;
    for (size_t at = 0; (at = text.find(kReference, at)) != std::string_view::npos; ++count) {
      at += kReference.size();
      const std::string_view target = text.substr(at, text.find('"', at) - at);
      const size_t slash = target.rfind('/');
      View where = document.root();
      for (std::string_view rest = target.substr(0, slash); !rest.empty();) {
        const size_t end = std::min(rest.find('/'), rest.size());
        where = where[rest.substr(0, end)];
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      EXPECT_TRUE(where[target.substr(slash + 1)].exists()) << target;
    }
    EXPECT_GT(count, 1000U);
  }
}

TEST_F(OpenApiTest, SpeaksProtobufInVersion2) {
  const OpenApi::Response json = api_.answer({.path = "/openapi/v2"});
  const OpenApi::Response protobuf = api_.answer({.path = "/openapi/v2", .accept = kOldProtobuf});
  EXPECT_EQ(header(json, "Content-Type"), "application/json");
  EXPECT_EQ(header(protobuf, "Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(header(protobuf, "Etag"), header(json, "Etag"));
  EXPECT_TRUE(
      protobuf.body.view().starts_with(std::string_view("\x0a\x03"
                                                        "2.0")));
  EXPECT_GT(protobuf.body.size(), json.body.size() / 2);
}

custom::DefinitionPtr definition(std::string_view plural, std::string_view kind,
                                 std::string_view scope) {
  std::string text =
      R"({"metadata":{"name":"PLURAL.example.com","uid":"u-PLURAL","generation":1,"resourceVersion":"7"},"spec":{"group":"example.com",)"
      R"("names":{"plural":"PLURAL","singular":"one","kind":"KIND","listKind":"KINDList"},"scope":"SCOPE","versions":[{"name":"v1","served":true,)"
      R"("storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
      R"("nullable":true,"description":"what \"KIND\" wants","properties":{"size":{"type":"integer"}}}}}}}]},)"
      R"("status":{"conditions":[{"type":"Established","status":"True"}]}})";
  const auto replace = [&](std::string_view word, std::string_view with) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += with.size())
      text.replace(at, word.size(), with);
  };
  replace("PLURAL", plural);
  replace("KIND", kind);
  replace("SCOPE", scope);
  return custom::Definition::make(api::Object::make(text)).value();
}

// Those of two definitions, and the built-in ones.
class CustomDocuments : public testing::Test {
 protected:
  CustomDocuments() {
    for (const custom::DefinitionPtr& each : definitions_) {
      resources_.insert(resources_.end(), each->resources().begin(), each->resources().end());
    }
  }

  std::string ask(std::string_view accept = {}) {
    OpenApi api(api::builtin_schema(), resources_);
    return std::string(api.answer({.path = "/openapi/v2", .accept = accept}).body.view());
  }

  std::vector<custom::DefinitionPtr> definitions_{definition("ships", "Ship", "Namespaced"),
                                                  definition("ports", "Port", "Cluster")};
  std::vector<const api::Resource*> resources_{api::builtin_schema().resources().begin(),
                                               api::builtin_schema().resources().end()};
};

TEST_F(CustomDocuments, HaveTheirPathsAndSchemas) {
  const json::Document document = json::parse(ask()).value();
  const View paths = View(document.root())["paths"];
  EXPECT_EQ(paths["/apis/example.com/v1/namespaces/{namespace}/ships/{name}"]["get"]["operationId"]
                .text(),
            "readExampleComV1NamespacedShip");
  EXPECT_EQ(paths["/apis/example.com/v1/ports/{name}/status"]["put"]["operationId"].text(),
            "replaceExampleComV1PortStatus");
  // Upstream's have no such paths.
  EXPECT_FALSE(paths["/apis/example.com/v1/watch/ports"].exists());
  EXPECT_TRUE(paths["/apis/apps/v1/watch/deployments"].exists());
  const View definitions = View(document.root())["definitions"];
  const View ship = definitions["com.example.v1.Ship"];
  EXPECT_EQ(ship["properties"]["spec"]["description"].text(), "what \"Ship\" wants");
  EXPECT_FALSE(ship["properties"]["spec"]["nullable"].exists());
  EXPECT_EQ(definitions["com.example.v1.PortList"]["properties"]["items"]["items"]["$ref"].text(),
            "#/definitions/com.example.v1.Port");
}

TEST_F(CustomDocuments, ReferToWhatIsThere) {
  // Without built-in ones, whose references would hide a missing one.
  resources_.erase(
      resources_.begin(),
      resources_.begin() + static_cast<ptrdiff_t>(api::builtin_schema().resources().size()));
  const std::string text = ask();
  const json::Document document = json::parse(text).value();
  size_t count = 0;
  constexpr std::string_view kReference = R"("$ref":"#/)";
  for (size_t at = 0; (at = text.find(kReference, at)) != std::string::npos; ++count) {
    at += kReference.size();
    const std::string_view name = std::string_view(text).substr(at, text.find('"', at) - at);
    const size_t slash = name.find('/');
    EXPECT_TRUE(View(document.root())[name.substr(0, slash)][name.substr(slash + 1)].exists())
        << name;
  }
  EXPECT_GT(count, 50U);
}

TEST_F(CustomDocuments, AreTheSameOnceTheirPartsAreKept) {
  for (const std::string_view accept : {std::string_view(), kOldProtobuf}) {
    const std::string first = ask(accept);
    EXPECT_EQ(ask(accept), first);
    EXPECT_NE(first.find("com.example.v1.PortList"), std::string::npos);
  }
}

}  // namespace
}  // namespace proa::apiserver

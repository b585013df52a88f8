#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/schema/schema.h"
#include "apiserver/representation/discovery/remote_version.h"
#include "base/bytes.h"

namespace proa::apiserver {

// The discovery documents under /api and /apis, encoded once. Immutable: a changed set of groups
// needs a new instance.
class Discovery {
 public:
  struct Document {
    Bytes json;
    Bytes protobuf;    // enveloped
    std::string etag;  // quoted; only of aggregated documents
  };

  // `schema` has the types of the documents. `server_address` ("10.0.0.1:6443") is reported by
  // /api. `remotes`: of other servers, which have their resources' own documents.
  Discovery(const api::Schema& schema, std::span<const api::Resource* const> resources,
            std::string_view server_address, std::span<const RemoteVersion> remotes = {});

  const Document& api_versions() const { return api_versions_; }  // /api
  const Document& groups() const { return groups_; }              // /apis
  const Document* find_group(std::string_view group) const;       // /apis/GROUP
  // /api/v1, /apis/GROUP/V. Null for versions of other servers.
  const Document* find_resources(std::string_view group_version) const;
  // Everything in one document (APIGroupDiscoveryList of apidiscovery.k8s.io/v2).
  const Document& aggregated_core() const { return aggregated_core_; }      // /api
  const Document& aggregated_groups() const { return aggregated_groups_; }  // /apis

 private:
  using Documents = std::map<std::string, Document, std::less<>>;

  Document api_versions_;
  Document groups_;
  Documents by_group_;
  Documents by_group_version_;
  Document aggregated_core_;
  Document aggregated_groups_;
};

// Whether If-None-Match names the document's ETag. As upstream, compares a single tag literally.
bool is_unchanged(const Discovery::Document& document, std::string_view if_none_match);

}  // namespace proa::apiserver

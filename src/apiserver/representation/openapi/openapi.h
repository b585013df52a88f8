#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/representation/openapi/foreign/converted_spec.h"
#include "apiserver/representation/openapi/foreign/foreign_spec.h"
#include "apiserver/representation/openapi/sections.h"
#include "apiserver/representation/openapi/version2.h"
#include "base/bytes.h"
#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa::apiserver {

// Serves /openapi/v2 and /openapi/v3. Documents are generated on request and only their hashes are
// cached: clients cache the documents by hash.
//
// Thread-safe. REQUIRES: schema and resources outlive it and do not change; changed resources need
// a new instance.
class OpenApi {
 public:
  struct Request {
    std::string_view path;           // "/openapi/v3/apis/apps/v1"
    std::string_view hash;           // of the query; empty for none
    std::string_view accept;         // the header; empty for none
    std::string_view if_none_match;  // the header
    Time now;
    bool in_parts = false;  // whether the body may come in parts
  };
  struct Response {
    int code = 200;
    std::vector<std::pair<std::string_view, std::string>> headers;
    Bytes body;
    std::unique_ptr<LongDocument> parts;  // instead of a body; null: none. Lives as long as OpenApi
  };

  // `version`: of the API that the documents describe, "1.36". `before`: an instance for other
  // resources, whose hashes are taken over; null: none.
  OpenApi(const api::Schema& schema, std::span<const api::Resource* const> resources,
          std::string version = "unversioned", OpenApi* before = nullptr);

  // A document that another server has, by name: the index refers to it. REQUIRES: before the first
  // answer.
  void add_foreign(const std::string& name, const std::string& url);
  // The document of a server that has one of version 2 only. REQUIRES: as above.
  void add_converted(const std::string& name, ConvertedSpecPtr spec) {
    converted_.emplace(name, std::move(spec));
  }
  // A part of the document of version 2. REQUIRES: as above; no resource of this server has its
  // paths.
  void add_foreign(ForeignSpecPtr spec) { specs_.push_back(std::move(spec)); }

  Response answer(const Request& request);

 private:
  Response answer_index(const Request& request);
  // `made` makes the document.
  static Response answer_section(const Request& request, std::string_view name,
                                 const std::string& hash, const std::function<Bytes()>& made);
  Response answer_version2(const Request& request);

  const Section* find(std::string_view name) const;
  std::string hash_of(const Section& section) EXCLUDES(mutex_);
  // Empty if there is none.
  std::string kept_hash(std::string_view name) EXCLUDES(mutex_);
  void keep_hash(std::string_view name, const std::string& hash) EXCLUDES(mutex_);

  const CommonTypes types_;
  const std::vector<Section> sections_;
  const std::string version_;
  std::map<std::string, std::string, std::less<>> foreign_;         // URLs by name
  std::map<std::string, ConvertedSpecPtr, std::less<>> converted_;  // by name
  std::vector<ForeignSpecPtr> specs_;
  Mutex mutex_;
  // By section name; "v2" for the whole document. Only of documents without custom kinds: those of
  // custom kinds follow from their definitions.
  std::map<std::string, std::string, std::less<>> hashes_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver

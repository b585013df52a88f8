#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/objects/catalogue/extension_apis.h"
#include "apiserver/representation/discovery/remote_version.h"
#include "apiserver/representation/openapi/foreign/converted_spec.h"
#include "apiserver/representation/openapi/foreign/foreign_spec.h"
#include "apiserver/streaming/aggregation/extension_servers.h"
#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// What extension API servers say about themselves, at one moment.
struct ExtensionDocuments {
  // A document of OpenAPI v3, which its server has.
  struct OpenApiEntry {
    std::string name;  // "apis/wardle.example.com/v1alpha1"
    std::string url;   // relative to the server, with a hash
  };

  // Its part of the document of OpenAPI v2.
  struct OpenApiPart {
    std::string group;
    std::string version;
    ForeignSpecPtr spec;
    ConvertedSpecPtr
        converted;  // stands for that of v3, which its server does not have; null: none
  };

  uint64_t number = 0;  // another one after every change
  std::vector<RemoteVersion> versions;
  std::vector<OpenApiEntry> openapi;  // sorted by name
  std::vector<OpenApiPart> parts;     // sorted by the names of their APIServices
};
using ExtensionDocumentsPtr = std::shared_ptr<const ExtensionDocuments>;

// Wakes the keeper of documents. Any thread.
class WakeSignal {
 public:
  void wake() EXCLUDES(mutex_);
  // Returns at once if it was woken since the last wait.
  void wait_until(Clock& clock, Steady due, const std::stop_token& stop) EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
};

// Asks extension API servers for their discovery and OpenAPI documents: when their APIServices
// change, and every minute, as upstream. Sleeps as long as there are none. Thread-safe.
class ExtensionDocumentKeeper {
 public:
  // All outlive it.
  struct Context {
    ExtensionApis& apis;
    const ExtensionServers& servers;
    ExtensionClients& clients;
    const api::Schema& schema;
    Clock& clock;
    WakeSignal& changed;  // the APIServices may have
  };
  explicit ExtensionDocumentKeeper(Context context);
  ~ExtensionDocumentKeeper();

  // Has every APIService that was written before; those that were not asked yet are stale.
  ExtensionDocumentsPtr current() EXCLUDES(mutex_);
  // Ends the thread; waits for it.
  void stop();

 private:
  // What is known of one API.
  struct Facts {
    std::shared_ptr<const json::Document> resources;
    bool stale = true;
    std::string openapi_url;
    bool lacks_openapi_v3 = false;
    ForeignSpecPtr spec;         // of OpenAPI v2; null: none
    ConvertedSpecPtr converted;  // the same as v3, if the server has none of v3; null: none
    bool operator==(const Facts&) const = default;
  };
  // Of the thread.
  struct Plan {
    ExtensionApiPtr api;  // as it was asked the last time
    Facts facts;
    std::string tag;              // ETag of aggregated discovery
    std::string spec_tag;         // of OpenAPI v2
    ForeignSpecPtr converted_of;  // what `facts.converted` was made of, also in vain
    Steady due = {};
    int failures = 0;
  };

  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // Asks those that are due; returns when the next one is.
  Steady refresh_due(const std::stop_token& stop) EXCLUDES(mutex_);
  // Several at once: one that hangs does not keep the others waiting.
  void refresh_all(const std::vector<Plan*>& due, const std::stop_token& stop);
  void refresh(Plan& plan, const std::stop_token& stop);
  Result<void> discover(Plan& plan, const std::stop_token& stop) const;
  Result<void> discover_legacy(Plan& plan, const std::stop_token& stop) const;
  Result<void> read_openapi(Plan& plan, const std::stop_token& stop) const;
  Result<void> read_openapi_v2(Plan& plan, const std::stop_token& stop) const;
  // Once per document: it takes long, and nobody waits for this thread.
  static void convert_openapi_v2(Plan& plan);
  void publish(const ExtensionApi& api, const Facts& facts) EXCLUDES(mutex_);

  const Context context_;
  std::map<std::string, Plan, std::less<>> plans_;  // of the thread; by name
  Steady last_drop_ = {};                           // of the thread
  Mutex mutex_;
  std::map<std::string, Facts, std::less<>> facts_ GUARDED_BY(mutex_);  // by name
  uint64_t facts_number_ GUARDED_BY(mutex_) = 0;
  // Of which state `documents_` was made.
  uint64_t made_of_apis_ GUARDED_BY(mutex_) = 0;
  uint64_t made_of_facts_ GUARDED_BY(mutex_) = 0;
  ExtensionDocumentsPtr documents_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa::apiserver

#pragma once

#include <string>
#include <vector>

#include "base/encoding.h"
#include "json/value.h"

namespace proa::client {

// A CertificateSigningRequest.
struct TestRequestObject {
  std::string signer;
  std::vector<std::string> usages;
  std::string pem;
  std::string username = "";
  std::vector<std::string> conditions = {};  // types
  int64_t seconds = 0;                       // zero: as long as possible

  json::Document document() const {
    json::Document made;
    json::Arena& arena = made.arena();
    made.root() = json::Value::object();
    json::Value metadata = json::Value::object();
    metadata.set(arena, "name", json::Value::borrowed("mine"));
    made.root().set(arena, "metadata", std::move(metadata));
    json::Value spec = json::Value::object();
    spec.set(arena, "signerName", json::Value::string(arena, signer));
    spec.set(arena, "username", json::Value::string(arena, username));
    spec.set(arena, "request", json::Value::string(arena, to_base64(pem)));
    if (seconds != 0) spec.set(arena, "expirationSeconds", json::Value::integer(seconds));
    json::Value list = json::Value::array();
    for (const std::string& usage : usages) {
      list.push_back(arena, json::Value::string(arena, usage));
    }
    spec.set(arena, "usages", std::move(list));
    made.root().set(arena, "spec", std::move(spec));
    json::Value conditions_list = json::Value::array();
    for (const std::string& type : conditions) {
      json::Value condition = json::Value::object();
      condition.set(arena, "type", json::Value::string(arena, type));
      condition.set(arena, "status", json::Value::borrowed("True"));
      conditions_list.push_back(arena, std::move(condition));
    }
    json::Value status = json::Value::object();
    status.set(arena, "conditions", std::move(conditions_list));
    made.root().set(arena, "status", std::move(status));
    return made;
  }
};

}  // namespace proa::client

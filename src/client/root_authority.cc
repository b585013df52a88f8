#include "client/root_authority.h"

#include "json/print.h"

namespace proa::client {

std::string root_authority_json(std::string_view authority_pem) {
  std::string text = "{\"metadata\":{\"name\":\"" + std::string(kRootAuthorityName) +
                     R"(","annotations":{"kubernetes.io/description":)"
                     R"("Whom to trust when talking to the API server from inside of this )"
                     R"(cluster."}},"data":{"ca.crt":)";
  json::print_string_to(text, authority_pem);
  return text + "}}";
}

}  // namespace proa::client

#include "apiserver/access/authn/jwt/document_fetch.h"

#include <utility>

namespace proa::apiserver {
namespace document_fetch {

// Collects the body of one response. Runs on the call's loop.
class BodyCollector final : public http::CallEvents {
 public:
  BodyCollector(std::string name, size_t limit, DocumentDone done)
      : name_(std::move(name)), limit_(limit), done_(std::move(done)) {}

  void on_start(const std::shared_ptr<http::ClientCall>& call) override { call_ = call; }

  void on_head(http::ResponseHead head) override {
    if (head.status == 200) return;
    std::string why = "it is answered with " + std::to_string(head.status) + " " +
                      std::string(http::status_text(head.status));
    if (head.status >= 300 && head.status < 400) why += ": redirects are not followed";
    give_up(why);
  }

  void on_body(std::string_view bytes) override {
    if (bytes.size() > limit_ - body_.size()) {
      return give_up("it is larger than " + std::to_string(limit_) + " bytes");
    }
    body_.append(bytes);
    if (const auto call = call_.lock()) call->consume(bytes.size());
  }

  void on_end(http::Headers) override { finish(std::move(body_)); }
  void on_error(const Status& why) override { finish(why.in("fetching " + name_)); }

 private:
  void give_up(const std::string& why) {
    if (const auto call = call_.lock()) call->cancel();
    finish(Status(Reason::kServiceUnavailable, "fetching " + name_ + ": " + why));
  }

  void finish(Result<std::string> document) {
    if (const DocumentDone done = std::exchange(done_, nullptr)) done(std::move(document));
  }

  const std::string name_;
  const size_t limit_;
  DocumentDone done_;
  std::string body_;
  std::weak_ptr<http::ClientCall> call_;
};

}  // namespace document_fetch

std::shared_ptr<http::ClientCall> fetch_document(http::Client& client, const http::Url& url,
                                                 size_t limit, DocumentDone done) {
  http::ClientRequest request;
  request.origin = http::Origin::of(url);
  request.target = url.target;
  request.headers.add("accept", "application/json");
  request.headers.add("user-agent", "proa");
  const std::string name = request.origin.str() + url.target;
  return client.start(std::move(request), std::make_shared<document_fetch::BodyCollector>(
                                              name, limit, std::move(done)));
}

}  // namespace proa::apiserver

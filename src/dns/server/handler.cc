#include "dns/server/handler.h"

#include <algorithm>
#include <vector>

namespace proa::dns {
namespace handler {

Rcode rcode_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNameError:
      return Rcode::kNameError;
    case Outcome::kNotReady:
      return Rcode::kServerFailure;
    case Outcome::kRefused:
      return Rcode::kRefused;
    default:
      return Rcode::kNoError;
  }
}

Rcode rcode_of(ByteSpan response) {
  return response.size() < kHeaderSize ? Rcode::kServerFailure
                                       : static_cast<Rcode>(response[3] & 0xfU);
}

size_t error(const Query& query, Rcode rcode, std::span<uint8_t> response) {
  Writer writer(response, query.limit());
  writer.begin_response(query);
  return writer.finish(rcode);
}

}  // namespace handler

size_t Handler::refuse(const Query& query, QueryFault fault, std::span<uint8_t> response) {
  if (fault == QueryFault::kDrop) return 0;
  Writer writer(response, kPlainUdpSize);
  if (fault == QueryFault::kBadVersion) {
    writer.begin_response(query);
    return writer.finish(Rcode::kBadVersion);
  }
  // The question is not known, or is not one.
  writer.begin_error(query);
  return writer.finish(fault == QueryFault::kNotImplemented ? Rcode::kNotImplemented
                                                            : Rcode::kFormatError);
}

void Handler::set_local_names(LocalNames names) {
  const bool any = !names.empty();
  WriterLock lock(names_mutex_);
  names_ = any ? std::make_shared<const LocalNames>(std::move(names)) : nullptr;
  has_names_ = any;
}

std::shared_ptr<const LocalNames> Handler::local_names() {
  if (!has_names_.load(std::memory_order_relaxed)) return nullptr;
  ReaderLock lock(names_mutex_);
  return names_;
}

void Handler::configure(const Settings& settings) {
  log_.set_enabled(settings.log_queries);
  rotate_ = settings.rotate;
  const ClusterSettings kubeadm;
  // The first is the domain, which the cluster has from elsewhere.
  const bool same = settings.cluster.fallthrough == kubeadm.fallthrough &&
                    std::ranges::equal(std::span(settings.cluster.zones).subspan(1),
                                       std::span(kubeadm.zones).subspan(1));
  WriterLock lock(names_mutex_);
  zones_ = same ? nullptr : std::make_shared<const ClusterZones>(settings.cluster);
  has_zones_ = !same;
}

std::shared_ptr<const ClusterZones> Handler::zones() {
  if (!has_zones_.load(std::memory_order_relaxed)) return nullptr;
  ReaderLock lock(names_mutex_);
  return zones_;
}

size_t Handler::answered(const Work& work, size_t size, Answerer answerer) const {
  work.statistics.add_response(work.packet.tcp,
                               handler::rcode_of(ByteSpan(work.response.data(), size)), answerer,
                               size, context_.clock.steady() - work.began);
  return size;
}

size_t Handler::handle(const Packet& packet, std::span<uint8_t> response, Statistics& statistics,
                       const MakeLater& later) {
  Query query;
  query.tcp = packet.tcp;
  const Work work{.query = query,
                  .packet = packet,
                  .response = response,
                  .statistics = statistics,
                  .began = context_.clock.steady(),
                  .later = later};
  const QueryFault fault = parse_query(packet.message, query);
  if (fault == QueryFault::kDrop) {
    statistics.add_dropped();
    return 0;
  }
  statistics.add_request({.tcp = packet.tcp,
                          .v6 = !packet.client.is_v4(),
                          .type = query.question.type,
                          .dnssec_ok = query.dnssec_ok,
                          .size = packet.message.size()});
  if (fault != QueryFault::kNone) {
    return answered(work, refuse(query, fault, response), Answerer::kNobody);
  }
  if (query.question.klass != Class::kInternet && query.question.klass != Class::kAny) {
    return answered(work, handler::error(query, Rcode::kRefused, response), Answerer::kNobody);
  }
  if (!log_.enabled()) return answer_query(work);
  // With the name that was asked for, whatever it is rewritten to.
  const MakeLater logged = [&]() -> Later {
    return
        [this, query, client = packet.client, began = work.began, reply = later()](ByteSpan done) {
          log_.write(query, client, done, context_.clock.steady() - began);
          reply(done);
        };
  };
  const size_t size = answer_query({.query = query,
                                    .packet = packet,
                                    .response = response,
                                    .statistics = statistics,
                                    .began = work.began,
                                    .later = logged});
  log_.write(query, packet.client, response.first(size), context_.clock.steady() - work.began);
  return size;
}

size_t Handler::answer_query(const Work& work) {
  const std::shared_ptr<const LocalNames> names = local_names();
  if (names != nullptr) {
    if (const auto to = names->rewrite(work.query.question.name)) {
      return rewritten(*names, *to, work);
    }
  }
  return answer(work, names.get());
}

// Answers for the other name; the client gets that under the name that it asked for.
size_t Handler::rewritten(const LocalNames& names, const Rewritten& to, const Work& work) {
  Query other = work.query;
  other.question.name = to.name;
  const auto rename = [asked = work.query, to](ByteSpan response) {
    std::vector<uint8_t> out(std::max(asked.limit(), kPlainUdpSize));
    out.resize(rename_response(response, asked, to, out));
    return out;
  };
  const MakeLater later = [&]() -> Later {
    return [rename, reply = work.later()](ByteSpan response) { reply(rename(response)); };
  };
  const size_t size = answer({.query = other,
                              .packet = work.packet,
                              .response = work.response,
                              .statistics = work.statistics,
                              .began = work.began,
                              .later = later},
                             &names);
  if (size == 0) return 0;
  const std::vector<uint8_t> out = rename({work.response.data(), size});
  std::ranges::copy(out, work.response.begin());
  return out.size();
}

size_t Handler::answer(const Work& work, const LocalNames* names) {
  const Query& query = work.query;
  Writer writer(work.response, query.limit());
  writer.begin_response(query);
  if (names != nullptr) {
    if (const auto rcode = names->answer(query.question, writer)) {
      return answered(work, writer.finish(*rcode, {.authoritative = true}), Answerer::kNobody);
    }
  }
  Name external;
  const Outcome outcome = look_up(query.question, writer, external);
  if (outcome == Outcome::kNotOurs) return forward(work);
  if (outcome == Outcome::kExternal && context_.forwarder != nullptr) {
    if (const size_t refused = refuse_busy(work)) return refused;
    follow(query, external, reply_later(work));
    return 0;
  }
  const bool known = outcome != Outcome::kNotReady && outcome != Outcome::kRefused;
  return answered(work, writer.finish(handler::rcode_of(outcome), {.authoritative = known}),
                  Answerer::kCluster);
}

Outcome Handler::look_up(const Question& question, Writer& writer, Name& external) {
  const std::shared_ptr<const ClusterZones> configured = zones();
  const ClusterZones& zones = configured != nullptr ? *configured : default_zones_;
  const NameView name = question.name;
  const Zone* const reverse = zones.reverse_of(name);
  if (reverse != nullptr && (question.type == Type::kAxfr || question.type == Type::kIxfr)) {
    return Outcome::kRefused;
  }
  const uint32_t rotation = rotate_.load(std::memory_order_relaxed)
                                ? rotation_.fetch_add(1, std::memory_order_relaxed)
                                : 0;
  ReaderLock lock(context_.cluster.mutex);
  const Index& index = context_.cluster.index;
  const Zone& zone = context_.cluster.zone;
  if (reverse == nullptr && !name.within(zone.name())) return Outcome::kNotOurs;
  const Outcome outcome =
      lookup(index, zone, {.question = question, .rotation = rotation, .reasons = nullptr}, writer,
             external);
  const bool missing = outcome == Outcome::kNameError || outcome == Outcome::kNotOurs;
  if (!missing) return outcome;
  if (zones.passes_on(name)) return Outcome::kNotOurs;
  if (outcome == Outcome::kNameError) return outcome;
  if (!index.synced()) return Outcome::kNotReady;
  reverse->write_soa(writer, Section::kAuthority, index.serial());
  return name == reverse->name() ? Outcome::kNoData : Outcome::kNameError;
}

size_t Handler::refuse_busy(const Work& work) {
  if (in_flight_.begin(work.packet.client)) return 0;
  return answered(work, handler::error(work.query, Rcode::kRefused, work.response),
                  Answerer::kNobody);
}

Forwarder::Reply Handler::reply_later(const Work& work) {
  return [this, query = work.query, client = work.packet.client, began = work.began,
          reply = work.later()](ByteSpan done) {
    in_flight_.end(client);
    count_later(query, done, began);
    reply(done);
  };
}

size_t Handler::forward(const Work& work) {
  if (context_.forwarder == nullptr) {
    return answered(work, handler::error(work.query, Rcode::kRefused, work.response),
                    Answerer::kNobody);
  }
  if (const size_t size = context_.forwarder->cached(work.query, work.response)) {
    return answered(work, size, Answerer::kForward);
  }
  if (const size_t refused = refuse_busy(work)) return refused;
  context_.forwarder->ask(work.query, reply_later(work));
  return 0;
}

void Handler::follow(const Query& query, const Name& target, Forwarder::Reply reply) {
  Query outside = query;
  outside.question.name = target;
  // Whole: it is cut where it is put together.
  outside.tcp = true;
  context_.forwarder->ask(outside, [this, query, reply = std::move(reply)](ByteSpan found) {
    std::vector<uint8_t> response(std::max(query.limit(), kPlainUdpSize));
    response.resize(complete(query, found, response));
    reply(response);
  });
}

// The CNAMEs as they are now, and the addresses that were found for the last of them.
size_t Handler::complete(const Query& query, ByteSpan found, std::span<uint8_t> response) const {
  Reader reader(found);
  const auto header = reader.header();
  Question question;
  if (!header || header->rcode == Rcode::kServerFailure || header->rcode == Rcode::kRefused ||
      header->questions != 1 || !reader.question(question)) {
    return handler::error(query, Rcode::kServerFailure, response);
  }
  Writer writer(response, query.limit());
  writer.begin_response(query);
  Name external;
  Outcome outcome = Outcome::kNotReady;
  {
    ReaderLock lock(context_.cluster.mutex);
    outcome = lookup(context_.cluster.index, context_.cluster.zone, {.question = query.question},
                     writer, external);
  }
  // Meanwhile it may lead elsewhere.
  if (outcome != Outcome::kExternal || external != question.name) {
    return handler::error(query, Rcode::kServerFailure, response);
  }
  for (int i = 0; i < header->answers; ++i) {
    Record record;
    if (!reader.record(record)) return handler::error(query, Rcode::kServerFailure, response);
    if (!writer.copy(Section::kAnswer, reader, record, record.ttl)) break;
  }
  return writer.finish(Rcode::kNoError, {.authoritative = true});
}

void Handler::count_later(const Query& query, ByteSpan response, Steady began) {
  MutexLock lock(mutex_);
  later_.add_response(query.tcp, handler::rcode_of(response), Answerer::kForward, response.size(),
                      context_.clock.steady() - began);
}

}  // namespace proa::dns

#include "schema/convert/queues/operations_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {
namespace {

Result<Duration> read_duration(std::string_view field, std::int64_t micros, Duration max) {
  const Duration duration(micros);
  if (duration >= Duration(0) && duration <= max) return duration;
  return fail(ErrorCode::kInvalidArgument, std::string(field) + ": " + std::to_string(micros) +
                                               " microseconds, not 0.." + std::to_string(max.count()));
}

}  // namespace

void write(const Result<VerifyReport>& from, wire::VerifyReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto findings = ok.initFindings(static_cast<unsigned>(from->findings.size()));
  for (unsigned i = 0; i < findings.size(); ++i) {
    const Finding& finding = from->findings[i];
    findings[i].setKind(as_text(finding.kind));
    findings[i].setWhere(as_text(finding.where));
    findings[i].setWhat(as_text(finding.what));
  }
  ok.setFound(from->found);
  ok.setQueues(from->queues);
  ok.setChunks(from->chunks);
  ok.setMessages(from->messages);
}

Result<VerifyReport> read(wire::VerifyReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  VerifyReport report;
  for (const auto finding : at_most(VerifyReport::kFindingsListed, ok.getFindings())) {
    report.findings.push_back(
        {string(finding.getKind()), string(finding.getWhere()), string(finding.getWhat())});
  }
  report.found = ok.getFound();
  report.queues = ok.getQueues();
  report.chunks = ok.getChunks();
  report.messages = ok.getMessages();
  return report;
}

void write(const DrainOptions& options, wire::DrainRequest::Builder to) {
  to.setTimeoutMicros(options.timeout.count());
  to.setExit(options.exit);
}

Result<DrainOptions> read(wire::DrainRequest::Reader from) {
  const auto timeout = read_duration("timeout", from.getTimeoutMicros(), limits::kDelayMax);
  if (!timeout) return tl::unexpected(timeout.error());
  return DrainOptions{.timeout = *timeout, .exit = from.getExit()};
}

void write(Duration wait, wire::DrainStatusRequest::Builder to) { to.setWaitMicros(wait.count()); }

Result<Duration> read(wire::DrainStatusRequest::Reader from) {
  return read_duration("wait", from.getWaitMicros(), limits::kWaitMax);
}

void write(const Result<DrainStatus>& from, wire::DrainReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setDraining(from->draining);
  ok.setExits(from->exits);
  ok.setOver(from->over);
  ok.setInFlight(from->in_flight);
  ok.setLeftMicros(from->left.count());
  ok.setEnded(from->ended);
}

Result<DrainStatus> read(wire::DrainReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return DrainStatus{.draining = ok.getDraining(),
                     .exits = ok.getExits(),
                     .over = ok.getOver(),
                     .in_flight = ok.getInFlight(),
                     .left = Duration(ok.getLeftMicros()),
                     .ended = ok.getEnded()};
}

}  // namespace holdfast::convert

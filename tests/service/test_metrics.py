"""What is counted, as Prometheus reads it."""

from collections.abc import Callable

from audition.service.metrics import Found, Metrics

NOTHING: Found = ({"runs": {}, "results": {}}, 0)


def test_requests_are_counted_by_route_and_status() -> None:
    metrics = Metrics()
    for status in (200, 200, 404):
        metrics.count_request("GET", "/x/{id}", status, 0.002)

    lines = metrics.render(NOTHING).splitlines()

    assert 'audition_http_requests_total{method="GET",route="/x/{id}",status="200"} 2' in lines
    assert 'audition_http_requests_total{method="GET",route="/x/{id}",status="404"} 1' in lines


def test_durations_are_counted_in_groups_that_add_up() -> None:
    metrics = Metrics()
    for duration_s in (0.001, 0.02, 60.0):
        metrics.count_request("GET", "/x", 200, duration_s)

    lines = metrics.render(NOTHING).splitlines()

    name = "audition_http_request_duration_seconds"
    assert f'{name}_bucket{{route="/x",le="0.005"}} 1' in lines
    assert f'{name}_bucket{{route="/x",le="0.025"}} 2' in lines
    assert f'{name}_bucket{{route="/x",le="10.0"}} 2' in lines
    assert f'{name}_bucket{{route="/x",le="+Inf"}} 3' in lines
    assert f'{name}_count{{route="/x"}} 3' in lines
    assert f'{name}_sum{{route="/x"}} 60.021' in lines


def test_runs_results_workers_and_the_queue_are_told() -> None:
    found: Found = ({"runs": {"pending": 2, "failed": 1}, "results": {"pass": 9}}, 3)

    lines = Metrics().render(found).splitlines()

    assert 'audition_runs{status="failed"} 1' in lines
    assert 'audition_results{outcome="pass"} 9' in lines
    assert "audition_workers 3" in lines
    assert "audition_queue_length 2" in lines


def test_refused_logins_are_counted_by_reason() -> None:
    metrics = Metrics()
    metrics.count_login_failure("wrong")

    assert 'audition_login_failures_total{reason="wrong"} 1' in metrics.render(NOTHING).splitlines()


def test_each_family_has_its_type() -> None:
    lines = Metrics().render(NOTHING).splitlines()

    assert "# TYPE audition_http_request_duration_seconds histogram" in lines
    assert "# TYPE audition_workers gauge" in lines


def test_values_of_labels_are_escaped() -> None:
    metrics = Metrics()
    metrics.count_login_failure('a"b\\c\nd')

    assert 'reason="a\\"b\\\\c\\nd"' in metrics.render(NOTHING)


def test_the_database_is_counted_anew_after_five_seconds() -> None:
    times = iter([0.0, 4.0, 5.0, 5.0])
    metrics, counted = Metrics(clock=lambda: next(times)), []

    def count() -> Found:
        counted.append(1)
        return NOTHING

    asked: list[Callable[[], Found]] = [count] * 3
    for one in asked:
        metrics.lately(one)

    assert len(counted) == 2
